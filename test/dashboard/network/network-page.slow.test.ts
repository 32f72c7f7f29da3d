import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { findViolations, NO_WEBGL, SOFTWARE_WEBGL } from '../../support/browser.ts';
import { type OpenPage, shareBrowser } from '../open-page.ts';
import { addRows } from '../store-rows.ts';
import { shareDashboard } from '../support.ts';
import { EGO, restIdOf } from './network-rows.ts';
import { createNetworkStore } from './network-store.ts';

const TIMEOUT = { timeout: 400_000 };
const COMMUNITIES = [40, 30, 20];
const ADDRESS = `/network?accounts=id:${EGO.restId}`;

const shared = shareDashboard((file) => {
  const path = createNetworkStore({ communities: COMMUNITIES, follows: [8, 0], collected: 0.9 }, file);
  const member = (id: number) => ({ panel_id: 1, rest_id: restIdOf(id), handle: `m${id}`, added_at: 1 });
  addRows(path, { panels: [{ id: 1, name: 'press', created_at: 1 }], panel_members: [50, 51, 52, 53].map(member) });
  return path;
});

/** Moves the pointer over the picture until it is on an account. */
async function findNode(page: OpenPage): Promise<{ x: number; y: number }> {
  const box = (await page.locator('.network-canvas').boundingBox())!;
  const isFound = "document.querySelector('.network-canvas').style.cursor === 'pointer'";
  for (let y = box.y + box.height / 2; y < box.y + box.height; y += 9)
    for (let x = box.x + box.width / 4; x < box.x + 0.8 * box.width; x += 9) {
      await page.mouse.move(x, y);
      if (await page.evaluate<boolean>(isFound)) return { x, y };
    }
  throw new Error('no account is visible');
}

describe('the page Network', () => {
  const browser = shareBrowser(SOFTWARE_WEBGL);

  test(
    'communities are named, the table has all accounts, the download is GEXF, and a click opens a page',
    TIMEOUT,
    async () => {
      const page = await browser.open(shared.url + ADDRESS);
      await page.locator('.network-canvas canvas').first().waitFor({ state: 'attached' });
      await page.getByText(/^All of 91 accounts, with [\d,]+ follows among them\./).waitFor();
      // Each planned community is one of those that are detected.
      const sizes = await page.getByRole('list', { name: 'Detected communities' }).locator('.muted').allTextContents();
      expect(sizes[0]).toBe('1');
      for (const [i, size] of COMMUNITIES.entries())
        expect(Math.abs(Number(sizes[i + 1]) - size)).toBeLessThan(0.2 * size);
      const rows = page.locator('tbody tr');
      expect(await rows.count()).toBe(91);
      const cells = await rows.filter({ hasText: EGO.handle }).locator('td').allTextContents();
      expect(cells).toEqual(['● Given', '90,000', '90', expect.anything(), 'following']);
      const link = page.getByRole('link', { name: 'Download GEXF' });
      const [file] = await Promise.all([page.waitForEvent('download'), link.click()]);
      expect(readFileSync(await file.path(), 'utf8').match(/<node /g)?.length).toBe(91);
      const { x, y } = await findNode(page);
      await page.mouse.click(x, y);
      await page.waitForURL(/\/accounts\/id(:|%3A)\d+$/);
    },
  );

  test('a network is put together from accounts and a panel', TIMEOUT, async () => {
    const page = await browser.open(`${shared.url}/network`);
    await page.getByRole('combobox', { name: 'Panel' }).selectOption('press');
    await page.getByRole('heading', { name: 'Network around the panel press' }).waitFor();
    await page.getByRole('combobox', { name: 'Neighbours' }).selectOption('0');
    await page.waitForURL(/panel=press&depth=0$/);
    const box = page.getByRole('textbox', { name: 'Accounts' });
    await box.fill(`id:${EGO.restId}`);
    await box.press('Enter');
    await page.waitForURL(/accounts=/);
    await page.getByText(/All of 5 accounts/).waitFor();
    // The handle stands for the id that was given.
    await expect.poll(() => box.inputValue()).toBe(`@${EGO.handle}`);
    await box.press('Enter');
    expect(page.url()).toContain(`accounts=id%3A${EGO.restId}`);
    await box.fill('');
    await box.press('Enter');
    await expect.poll(() => page.url()).toBe(`${shared.url}/network?panel=press&depth=0`);
  });
});

describe('without WebGL', () => {
  const browser = shareBrowser(NO_WEBGL);

  test('the page says so and the table has the accounts', TIMEOUT, async () => {
    const page = await browser.open(shared.url + ADDRESS);
    await page.getByText('The picture cannot be drawn here.').waitFor();
    expect(await page.locator('tbody tr').count()).toBe(91);
    expect(await findViolations(page)).toEqual([]);
  });
});
