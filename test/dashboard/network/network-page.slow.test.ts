import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeAppearance, findViolations, NO_WEBGL, SOFTWARE_WEBGL, startBrowser } from '../../support/browser.ts';
import { openPage } from '../open-page.ts';
import { addRows } from '../store-rows.ts';
import { startTestDashboard } from '../support.ts';
import { EGO, restIdOf } from './network-rows.ts';
import { createNetworkStore } from './network-store.ts';

const TIMEOUT = { timeout: 400_000 };
const HOSTILE = '<img src=x onerror=alert(1)>\u202Egnp.exe';
const PLAN = {
  communities: [40, 30, 20],
  follows: [8, 0] as const,
  collected: 0.9,
  names: {
    2: {
      handle: 'مرحبا',
      name: HOSTILE,
    },
    3: { handle: `x${'y'.repeat(90)}` },
  },
};
const ADDRESS = `/network?accounts=id:${EGO.restId}`;

/** Messages of the driver of a processor that stands in for a graphics card. */
const isOfDriver = (message: string): boolean => /GL Driver Message|GroupMarkerNotSet|WebGL/.test(message);

const waitForPicture = (page: Page): Promise<void> =>
  page.locator('.network-canvas canvas').first().waitFor({ state: 'attached' });

/** Moves the pointer over the picture until it is on an account. */
async function findNode(page: Page): Promise<{ x: number; y: number }> {
  const box = (await page.locator('.network-canvas').boundingBox())!;
  const isFound = "document.querySelector('.network-canvas').style.cursor === 'pointer'";
  for (let y = box.y + box.height / 2; y < box.y + box.height; y += 9)
    for (let x = box.x + box.width / 2; x < box.x + 0.8 * box.width; x += 9) {
      await page.mouse.move(x, y);
      if (await page.evaluate<boolean>(isFound)) return { x, y };
    }
  throw new Error('no account is visible');
}

describe('the page Network', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await startBrowser(SOFTWARE_WEBGL)));
  afterAll(() => browser.close());

  test('no violation in both themes and two widths, also with hostile names', TIMEOUT, async () => {
    const { url } = await startTestDashboard(createNetworkStore(PLAN));
    for (const [path, ready] of [
      [ADDRESS, '.network-canvas canvas'],
      ['/network', '.empty-title'],
      [`/network?accounts=id:${restIdOf(4)}&depth=0`, '.empty-title'],
      ['/network?accounts=nobody', '.empty-title'],
      ['/network?panel=nobody', '.banner'],
    ] as const) {
      await using opened = await openPage(browser, url + path, { width: 1440, theme: 'light' });
      const { page, requests, messages } = opened;
      await page.locator(ready).first().waitFor({ state: 'attached' });
      expect(await page.locator('main img').count()).toBe(0);
      for (const width of [390, 1280])
        for (const theme of ['light', 'dark'] as const) {
          await changeAppearance(page, { width, theme });
          expect(await findViolations(page), `${path} ${width} ${theme}`).toEqual([]);
          expect(await page.evaluate<number>('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(width);
        }
      expect(requests.filter((request) => !request.startsWith(url) && !request.startsWith('blob:'))).toEqual([]);
      // The browser logs refused requests.
      expect(messages.filter((message) => !isOfDriver(message) && !message.includes('status of 400'))).toEqual([]);
    }
  });

  test('an account is visible in both themes, and a click opens its page', TIMEOUT, async () => {
    const { url } = await startTestDashboard(createNetworkStore(PLAN));
    for (const theme of ['light', 'dark'] as const) {
      await using opened = await openPage(browser, url + ADDRESS, { width: 1440, theme });
      const { page } = opened;
      await waitForPicture(page);
      await page
        .getByText(
          /^All of 91 accounts, with [\d,]+ follows among them\. Edges come only from collected lists: follows between two of the \d+ accounts without one are not known\./,
        )
        .waitFor();
      // Each planned community is one of those that are detected.
      const sizes = await page.locator('.network-legend .muted').allTextContents();
      expect(sizes[0]).toBe('1');
      for (const [i, size] of PLAN.communities.entries())
        expect(Math.abs(Number(sizes[i + 1]) - size)).toBeLessThan(0.2 * size);
      const { x, y } = await findNode(page);
      await page.mouse.click(x, y);
      await page.waitForURL(/\/accounts\/id(:|%3A)\d+$/);
    }
  });

  test('a community is hidden by the keyboard, and the address keeps it', TIMEOUT, async () => {
    const { url } = await startTestDashboard(createNetworkStore(PLAN));
    await using opened = await openPage(browser, url + ADDRESS, { width: 1440, theme: 'light' });
    const { page } = opened;
    await waitForPicture(page);
    const boxes = page.getByRole('group', { name: 'Detected communities' }).getByRole('checkbox');
    await boxes.nth(1).press('Space');
    await page.waitForURL(/hide=1$/);
    const members = Number(await page.locator('.network-legend label').nth(1).locator('.muted').textContent());
    await page.getByText(`${91 - members} in the picture`).waitFor();
    await page.reload();
    await page.getByText(`${91 - members} in the picture`).waitFor();
    expect(await boxes.nth(1).isChecked()).toBe(false);
    await boxes.nth(1).press('Space');
    await page.getByText('91 in the picture').waitFor();
  });

  test('the table has all accounts, and the download is GEXF', TIMEOUT, async () => {
    const { url } = await startTestDashboard(createNetworkStore(PLAN));
    await using opened = await openPage(browser, url + ADDRESS, { width: 1440, theme: 'light' });
    const { page } = opened;
    const rows = page.locator('.node-scroll tbody tr');
    await rows.first().waitFor();
    expect(await rows.count()).toBe(91);
    const cells = await rows.filter({ hasText: EGO.handle }).locator('td').allTextContents();
    expect(cells).toEqual(['● Given', '90,000', '90', expect.anything(), 'following']);
    const link = page.getByRole('link', { name: 'Download GEXF' });
    const [file] = await Promise.all([page.waitForEvent('download'), link.click()]);
    expect(readFileSync(await file.path(), 'utf8').match(/<node /g)?.length).toBe(91);
  });

  test('a network is put together from accounts and a panel', TIMEOUT, async () => {
    const path = createNetworkStore(PLAN);
    addRows(path, {
      panels: [{ id: 1, name: 'press', created_at: 1 }],
      panel_members: [50, 51, 52, 53].map((id) => ({
        panel_id: 1,
        rest_id: restIdOf(id),
        handle: `m${id}`,
        added_at: 1,
      })),
    });
    const { url } = await startTestDashboard(path);
    await using opened = await openPage(browser, `${url}/network`, { width: 1440, theme: 'light' });
    const { page } = opened;
    await page.getByRole('combobox', { name: 'Panel' }).selectOption('press');
    await page.getByRole('heading', { name: 'Network around the panel press' }).waitFor();
    await page.getByRole('checkbox', { name: 'With neighbours' }).click();
    await page.waitForURL(/panel=press&depth=0$/);
    const box = page.getByRole('textbox', { name: 'Accounts' });
    await box.fill(`id:${EGO.restId}`);
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.waitForURL(/accounts=/);
    await page.getByText(/All of 5 accounts/).waitFor();
    // The handle stands for the id that was given.
    await expect.poll(() => box.inputValue()).toBe(`@${EGO.handle}`);
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    expect(page.url()).toContain(`accounts=id%3A${EGO.restId}`);
    await box.fill('');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await expect.poll(() => page.url()).toBe(`${url}/network?panel=press&depth=0`);
  });
});

test('without WebGL, the page says so and the table has the accounts', TIMEOUT, async () => {
  await using browser = await startBrowser(NO_WEBGL);
  const { url } = await startTestDashboard(createNetworkStore(PLAN));
  await using opened = await openPage(browser, url + ADDRESS, { width: 1440, theme: 'dark' });
  const { page, messages } = opened;
  await page.getByText('The picture cannot be drawn here.').waitFor();
  expect(await page.locator('.node-scroll tbody tr').count()).toBe(91);
  expect(await findViolations(page)).toEqual([]);
  expect(messages.filter((message) => !isOfDriver(message))).toEqual([]);
});
