import { describe, expect, test } from 'vitest';
import { createAccountStore } from './accounts/account-store.ts';
import { type OpenPage, shareBrowser } from './open-page.ts';
import { addRows, crawlRow } from './store-rows.ts';
import { shareDashboard } from './support.ts';

const browser = shareBrowser();
const shared = shareDashboard(async (file) => {
  const path = await createAccountStore(200, { file });
  addRows(path, { crawls: Array.from({ length: 200 }, (_, i) => crawlRow({ id: i + 10, state: 'complete' })) });
  return path;
});

const scrolled = (page: OpenPage) => page.evaluate<number>('scrollY');

describe('the place on a page', () => {
  const LISTS = [
    ['crawls', '/crawls', 1500],
    ['accounts', '/accounts?show=all', 800],
  ] as const;

  /** Opens a list far below its start. Returns the position, and the address of a row that is in view. */
  async function openFarDown(page: OpenPage, distance = 1500) {
    const links = 'main .panel a[href^="/"]';
    await page.locator(links).first().waitFor();
    await page.mouse.move(700, 500);
    await page.mouse.wheel(0, distance);
    await expect.poll(() => scrolled(page)).toBe(distance);
    const findRow = () =>
      page.evaluate<string | undefined>(`[...document.querySelectorAll('${links}')]
        .find((link) => link.getBoundingClientRect().top > 300 && link.checkVisibility() && !link.href.includes('?'))?.getAttribute('href')`);
    await expect.poll(findRow).toBeDefined();
    return { top: await scrolled(page), row: (await findRow())! };
  }

  test.each(LISTS)('Back, Forward and a new load return to it, in the list of %s', async (_, path, distance) => {
    const { url } = shared;
    const page = await browser.open(url + path);
    const { top, row } = await openFarDown(page, distance);
    const link = page.locator(`a[href="${row}"]`);
    await link.click();
    await page.waitForURL(url + row);
    await expect.poll(() => scrolled(page)).toBe(0);
    for (const goAway of [() => page.goForward(), () => link.click()]) {
      await page.goBack();
      await expect.poll(() => scrolled(page)).toBe(top);
      await link.waitFor();
      await goAway();
      await expect.poll(() => scrolled(page)).toBe(0);
    }
    await page.goBack();
    await expect.poll(() => scrolled(page)).toBe(top);
    await page.reload();
    await expect.poll(() => scrolled(page)).toBe(top);
    await link.waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await expect.poll(() => scrolled(page)).toBe(0);
  });

  test('who scrolls while the page still reads its data stays there', async () => {
    const { url } = shared;
    const page = await browser.open(`${url}/crawls`);
    const { row } = await openFarDown(page);
    await page.locator(`a[href="${row}"]`).click();
    await page.waitForURL(url + row);
    let release = (): void => {};
    const released = new Promise<void>((resolve) => void (release = resolve));
    const held: string[] = [];
    await page.route('**/api/crawls**', async (route) => {
      held.push(route.request().url());
      await released;
      await route.continue();
    });
    await page.goBack();
    await expect.poll(() => held.length).toBeGreaterThan(0);
    await page.keyboard.press('Home');
    release();
    await page.locator('tbody a').first().waitFor();
    expect(await scrolled(page)).toBe(0);
  });

  test('a link within the page is an entry of its own', async () => {
    const page = await browser.open(`${shared.url}/crawls`);
    const { top } = await openFarDown(page);
    await page.evaluate('document.querySelector(".skip-link").click()');
    await expect.poll(() => scrolled(page)).toBeLessThan(200);
    // The event of the scroll before may come after that of Back.
    await page.evaluate('addEventListener("popstate", () => dispatchEvent(new Event("scroll")), { once: true })');
    await page.goBack();
    await expect.poll(() => scrolled(page)).toBe(top);
  });
});
