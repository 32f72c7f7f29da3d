import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { SaxesParser } from 'saxes';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  changeAppearance,
  findViolations,
  NO_BROWSER,
  NO_WEBGL,
  SOFTWARE_WEBGL,
  startBrowser,
} from '../../support/browser.ts';
import { openPage } from '../open-page.ts';
import { addRows } from '../store-rows.ts';
import { startTestDashboard } from '../support.ts';
import { communityOf, EGO, restIdOf } from './network-rows.ts';
import { createNetworkStore } from './network-store.ts';

const TIMEOUT = { timeout: 400_000 };
const HOSTILE = '<img src=x onerror=alert(1)>\u202Egnp.exe';
const PLAN = {
  ...{ communities: [40, 30, 20], follows: [8, 0] as const, collected: 0.9 },
  names: { 2: { handle: 'مرحبا', name: HOSTILE }, 3: { handle: `x${'y'.repeat(90)}` } },
};
const ADDRESS = `/network?accounts=id:${EGO.restId}`;

/** Messages of the driver of a processor that stands in for a graphics card. */
const isOfDriver = (message: string): boolean => /GL Driver Message|GroupMarkerNotSet|WebGL/.test(message);

/** Waits until the picture has its final positions. */
const waitForPicture = (page: Page): Promise<void> =>
  page.locator('.network-downloads button:not([disabled])').first().waitFor();

/** Returns the text of a file that a button saves. */
async function download(page: Page, name: string): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
  return readFileSync(await file.path(), 'utf8');
}

/** The circles of nodes in an SVG, with the name of each account. */
function readCircles(svg: string): { label: string; fill: string; x: number; y: number; r: number }[] {
  const circles: { label: string; fill: string; x: number; y: number; r: number }[] = [];
  const parser = new SaxesParser({ xmlns: false });
  let isTitle = false;
  parser.on('opentag', ({ name, attributes: { cx, cy, r, fill } }) => {
    isTitle = name === 'title';
    if (name === 'circle' && fill !== 'none')
      circles.push({ label: '', fill: String(fill), x: Number(cx), y: Number(cy), r: Number(r) });
  });
  parser.on('text', (text) => {
    if (isTitle && circles.length > 0) circles.at(-1)!.label = text.trim();
  });
  parser.on('closetag', () => (isTitle = false));
  parser.write(svg).close();
  return circles.filter(({ label }) => label !== '');
}

describe.skipIf(NO_BROWSER)('the page Network', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await startBrowser(SOFTWARE_WEBGL)));
  afterAll(() => browser.close());

  test('no violation in both themes and three widths, also with hostile names', TIMEOUT, async () => {
    const { url } = await startTestDashboard(createNetworkStore(PLAN));
    for (const [path, ready] of [
      [ADDRESS, '.network-canvas canvas'],
      ['/network', '.suggestions'],
      [`/network?accounts=id:${restIdOf(4)}&depth=0`, '.empty-title'],
      ['/network?accounts=nobody', '.empty-title'],
      ['/network?panel=nobody', '.banner'],
    ] as const) {
      await using opened = await openPage(browser, url + path, { width: 1440, theme: 'light' });
      const { page, requests, messages } = opened;
      await page.locator(ready).first().waitFor({ state: 'attached' });
      if (path === ADDRESS) await waitForPicture(page);
      expect(await page.locator('main img').count()).toBe(0);
      for (const width of [390, 820, 1440])
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

  test('the picture shows the communities apart, without overlaps, and is the same every time', TIMEOUT, async () => {
    const { url } = await startTestDashboard(createNetworkStore(PLAN));
    const pictures: string[] = [];
    for (const reducedMotion of ['no-preference', 'reduce'] as const) {
      await using opened = await openPage(browser, 'about:blank', { width: 1440, theme: 'light' });
      const { page } = opened;
      await page.emulateMedia({ reducedMotion, colorScheme: 'light' });
      await page.goto(url + ADDRESS);
      await waitForPicture(page);
      await expect
        .poll(() => page.locator('.sampling').textContent())
        .toMatch(
          /^All 91 accounts around .+harbour_news.+\. [\d,]+ follows among them\. Edges come only from collected lists\. \d+ of the accounts have a collected list; follows between two of the other \d+ are not known\./,
        );
      pictures.push(await download(page, 'Picture (SVG)'));
    }
    expect(pictures[1]).toBe(pictures[0]);
    const circles = readCircles(pictures[0]!);
    expect(circles.length).toBe(91);
    for (const [i, a] of circles.entries())
      for (const b of circles.slice(i + 1))
        expect(Math.hypot(a.x - b.x, a.y - b.y), `${a.label} ${b.label}`).toBeGreaterThan(a.r + b.r - 0.3);
    // Each planned community has a colour of its own.
    const colors = PLAN.communities.map(() => new Map<string, number>());
    for (const { label, fill } of circles) {
      const id = label === '@مرحبا' ? 2 : Number(/_(\d+)$/.exec(label)?.[1] ?? 3);
      if (label === `@${EGO.handle}`) continue;
      const counts = colors[communityOf(PLAN, id)]!;
      counts.set(fill, (counts.get(fill) ?? 0) + 1);
    }
    const main = colors.map((counts, i) => {
      const [fill, count] = [...counts].toSorted(([, a], [, b]) => b - a)[0]!;
      expect(count).toBeGreaterThan(0.85 * PLAN.communities[i]!);
      return fill;
    });
    expect(new Set(main).size).toBe(PLAN.communities.length);
    expect(pictures[0]).toContain('aria-labelledby="title description"');
    expect(pictures[0]).not.toContain('<img');
  });

  test('communities and the given account are hidden by the keyboard, and the address keeps it', TIMEOUT, async () => {
    const { url } = await startTestDashboard(createNetworkStore(PLAN));
    await using opened = await openPage(browser, url + ADDRESS, { width: 1440, theme: 'light' });
    const { page } = opened;
    await waitForPicture(page);
    const boxes = page.getByRole('group', { name: 'Detected communities' }).getByRole('checkbox');
    expect(await boxes.count()).toBeGreaterThanOrEqual(4);
    const size = async (): Promise<number> => readCircles(await download(page, 'Picture (SVG)')).length;
    await boxes.nth(1).focus();
    await page.keyboard.press('Space');
    await page.waitForURL(/hide=1$/);
    const members = Number(await page.locator('.network-legend label').nth(1).locator('.muted').textContent());
    expect(members).toBeGreaterThan(30);
    await expect.poll(() => size()).toBe(91 - members);
    await page.getByText(`${91 - members} in the picture`).waitFor();
    await page.reload();
    await waitForPicture(page);
    await expect.poll(() => size()).toBe(91 - members);
    expect(await boxes.nth(1).isChecked()).toBe(false);
    await boxes.nth(1).press('Space');
    await page.waitForURL((address) => !address.search.includes('hide'));
    await boxes.first().press('Space');
    await page.waitForURL(/ego=off/);
    await page.getByText('90 in the picture').waitFor();
    await waitForPicture(page);
    expect(readCircles(await download(page, 'Picture (SVG)')).some(({ label }) => label === `@${EGO.handle}`)).toBe(
      false,
    );
    const gexf = await page.getByRole('link', { name: 'GEXF' }).getAttribute('href');
    expect(gexf).toContain('ego=off');
  });

  test('on paper it is a copy of the picture in the light colours, and then as before', TIMEOUT, async () => {
    const { url } = await startTestDashboard(createNetworkStore(PLAN));
    await using opened = await openPage(browser, url + ADDRESS, { width: 1440, theme: 'dark' });
    const { page } = opened;
    await waitForPicture(page);
    const count = (selector: string): string => `(() => {
      const copy = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
      const drawn = document.querySelector('${selector}');
      copy.canvas.width = drawn.width, copy.canvas.height = drawn.height;
      copy.drawImage(drawn, 0, 0);
      const { data } = copy.getImageData(0, 0, drawn.width, drawn.height);
      let [painted, dark] = [0, 0];
      for (let i = 0; i < data.length; i += 4) {
        if (data[i + 3] > 200) painted++, dark += Math.max(data[i], data[i + 1], data[i + 2]) < 60 ? 1 : 0;
      }
      return { painted, dark };
    })()`;
    await page.evaluate(`addEventListener('beforeprint', () => {
      window.printed = { copy: ${count('.network-print')}, labels: ${count('.network-overlay')} };
    })`);
    await page.pdf({ preferCSSPageSize: true });
    interface Painted {
      readonly painted: number;
      readonly dark: number;
    }
    const { copy, labels } = await page.evaluate<Record<'copy' | 'labels', Painted>>('window.printed');
    // The nodes are in the copy, too, and labels are dark.
    expect(copy.painted).toBeGreaterThan(1.2 * labels.painted);
    expect(labels.dark).toBeGreaterThan(labels.painted / 20);
    await page.locator('.network-print').waitFor({ state: 'detached' });
    expect(await page.evaluate<string | undefined>('document.documentElement.dataset.theme')).toBeUndefined();
  });

  test('the table sorts, finds and highlights the nodes, and the files agree with it', TIMEOUT, async () => {
    const { url } = await startTestDashboard(createNetworkStore(PLAN));
    await using opened = await openPage(browser, url + ADDRESS, { width: 1440, theme: 'light' });
    const { page } = opened;
    await waitForPicture(page);
    const cells = (n: number): Promise<string[]> =>
      page.locator(`.node-table tbody tr > :nth-child(${n})`).allTextContents();
    const followers = (await cells(3)).map((text) => Number(text.replaceAll(',', '')));
    expect(followers).toEqual(followers.toSorted((a, b) => b - a));
    await page.getByRole('button', { name: 'Followed here by' }).click();
    const degrees = (await cells(5)).map(Number);
    expect(degrees).toEqual(degrees.toSorted((a, b) => b - a));
    await expect.poll(() => page.locator('th[aria-sort=descending]').textContent()).toContain('Followed here by');
    await page.getByRole('button', { name: 'Followed here by' }).press('Enter');
    await expect.poll(() => page.locator('th[aria-sort=ascending]').textContent()).toContain('Followed here by');
    await page.getByRole('searchbox').fill(EGO.handle.toUpperCase());
    await page.getByText('1 to 1 of 1 account').waitFor();
    await page.getByRole('button', { name: `Highlight @${EGO.handle}` }).press('Enter');
    await expect.poll(() => page.locator('.node-card').textContent()).toMatch(/harbour_news.*Follows here90/);
    const links = page.locator('.node-card a');
    expect(await links.first().getAttribute('href')).toBe(`/accounts/${encodeURIComponent(`id:${EGO.restId}`)}`);
    const rows = (await download(page, 'Nodes (CSV)')).trimEnd().split('\n');
    expect(rows.length).toBe(92);
    expect(rows.find((row) => row.startsWith(`${EGO.restId},`))).toMatch(/,given,90,\d+,none,complete$/);
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'GEXF' }).click()]);
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
    await page.getByRole('link', { name: 'press', exact: true }).click();
    await page.getByRole('heading', { name: 'Network around the panel press' }).waitFor();
    await page.getByRole('button', { name: 'Among them' }).click();
    await page.waitForURL(/panel=press&depth=0$/);
    await page.getByRole('combobox', { name: 'Account' }).fill(`@${EGO.handle}`);
    await page.getByRole('button', { name: 'Add' }).click();
    await page.waitForURL(/accounts=/);
    await page.getByText(/All 5 accounts among/).waitFor();
    await page.getByRole('button', { name: /^Remove/ }).click();
    await expect.poll(() => page.url()).toBe(`${url}/network?panel=press&depth=0`);
    await page.getByRole('heading', { name: 'Network among the panel press' }).waitFor();
  });
});

test.skipIf(NO_BROWSER)('without WebGL, the picture is an image with the same accounts', TIMEOUT, async () => {
  await using browser = await startBrowser(NO_WEBGL);
  const { url } = await startTestDashboard(createNetworkStore(PLAN));
  await using opened = await openPage(browser, url + ADDRESS, { width: 1440, theme: 'dark' });
  const { page, messages } = opened;
  await waitForPicture(page);
  const image = page.locator('.network-image');
  const width = "document.querySelector('.network-image')?.naturalWidth";
  await expect.poll(() => page.evaluate<number>(width)).toBeGreaterThan(500);
  const source = decodeURIComponent((await image.getAttribute('src'))!.replace(/^[^,]*,/, ''));
  expect(readCircles(source).length).toBe(91);
  await page.getByText('This browser has no WebGL').waitFor();
  expect(await findViolations(page)).toEqual([]);
  expect(messages.filter((message) => !isOfDriver(message))).toEqual([]);
});
