import { describe, expect, test } from 'vitest';
import { openConnection } from '#store/sqlite/driver.ts';
import { shareBrowser } from './open-page.ts';
import { crawlRow, createStoreOf } from './store-rows.ts';
import { startTestDashboard } from './support.ts';

describe('the keyboard on a page that changes', () => {
  const browser = shareBrowser();

  test('goes on in the same part of the page when an update removes the focused row', async () => {
    const path = createStoreOf({ crawls: [1, 2].map((id) => crawlRow({ id, state: 'running', target: `star${id}` })) });
    const { url } = await startTestDashboard(path);
    const page = await browser.open(url);
    const row = page.getByRole('link', { name: /star1/ });
    await row.focus();
    const db = openConnection(path);
    db.exec("update crawls set state = 'complete', finished_at = 2, updated_at = 2 where id = 1");
    db.close();
    await row.waitFor({ state: 'detached' });
    const focused = () => page.evaluate<string>('document.activeElement.getAttribute("aria-labelledby")');
    await expect.poll(focused).toBe('crawls');
    await page.keyboard.press('Tab');
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('All crawls');
  });
});
