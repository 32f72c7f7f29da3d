import { describe, expect, test } from 'vitest';
import { shareBrowser } from '../open-page.ts';
import { shareDashboard } from '../support.ts';
import { createFindStore } from './find-store.ts';

const browser = shareBrowser();
const shared = shareDashboard((file) => createFindStore(0, file));

describe('the page Find', () => {
  test('the keyboard searches, includes what is left out, sorts, and opens an account; the address has it all', async () => {
    const page = await browser.open(`${shared.url}/find`);
    const box = page.getByRole('searchbox', { name: 'Search stored tweets' });
    await box.fill('rain');
    await box.press('Enter');
    await page.getByText('Found 2 tweets').waitFor();
    expect(new URL(page.url()).search).toBe('?q=rain');
    expect(await page.locator('mark').allTextContents()).toEqual(['rain', 'rain', 'rain']);
    await page.getByRole('link', { name: 'Include them' }).press('Enter');
    await page.getByText('Found 4 tweets').waitFor();
    expect(await page.getByText('Deleted', { exact: true }).count()).toBe(1);
    await page.getByRole('combobox', { name: 'Sort' }).selectOption('likes');
    const first = page.locator('.rows li').first();
    await expect.poll(() => first.textContent()).toContain('9 likes');
    // A link that is shared shows the same.
    await page.goto(page.url());
    await expect.poll(() => first.textContent()).toContain('9 likes');
    await page.goBack();
    await page.getByRole('link', { name: '@ada' }).first().press('Enter');
    await page.waitForURL(`${shared.url}/accounts/id%3A1`);
  });

  test('what is wrong with a search is said beside the term, and what was not collected with its command', async () => {
    const page = await browser.open(`${shared.url}/find?q=since%3Asoon`);
    await page.getByText('is searched as text').waitFor();
    await page.locator('.empty-title', { hasText: 'No results' }).waitFor();
    await page.goto(`${shared.url}/find?q=from%3Anasa`);
    await page.locator('.empty-title', { hasText: 'Not collected' }).waitFor();
    expect(await page.locator('.empty-action').textContent()).toBe('trawl crawl timeline nasa collects it');
    await page.goto(`${shared.url}/find?q=${'x'.repeat(1001)}`);
    await page.getByRole('alert').filter({ hasText: 'A search may have 1000 characters' }).waitFor();
  });
});
