import { expect, test } from 'vitest';
import { createStoreFile } from '../../support/store-file.ts';
import { shareBrowser } from '../open-page.ts';
import { shareDashboard, startTestDashboard } from '../support.ts';
import { createQualityStore, dayBefore } from './quality-store.ts';

const browser = shareBrowser();
const shared = shareDashboard(createQualityStore);

test('a field that is no longer sent leads from the overview to its fall', async () => {
  const page = await browser.open(shared.url);
  await page.getByRole('link', { name: 'The service has changed' }).press('Enter');
  await page
    .getByText(`user-tweets has not sent tweet.text since ${dayBefore(2)}`)
    .first()
    .waitFor();
  const row = page.locator('.row-table tr').filter({ has: page.getByText('tweet.text', { exact: true }) });
  expect((await row.innerText()).replaceAll(/\s+/g, ' ')).toBe(
    `tweet.text${' 99 %'.repeat(7)} fallen to ↓ 0 % 0 % 0 %`,
  );
  await page.getByRole('combobox', { name: 'Items' }).selectOption('stored-accounts');
  await page.getByText('of all 40 accounts').waitFor();
  await page.getByRole('combobox', { name: 'Period' }).selectOption('month');
  await page.getByText('by the month (UTC)').waitFor();
  expect(new URL(page.url()).search).toBe('?of=stored-accounts&by=month');
  await page.reload();
  await page.getByText('by the month (UTC)').waitFor();
  await page.getByRole('link', { name: 'crawl 2' }).first().press('Enter');
  await page.waitForURL(`${shared.url}/crawls/2`);
});

test('an empty store tells what is not collected from what is in order', async () => {
  const { url } = await startTestDashboard(createStoreFile());
  const page = await browser.open(`${url}/quality`);
  await page.getByText('Items that cannot be stored are listed here.').waitFor();
  await expect.poll(() => page.getByText('Not collected').count()).toBe(3);
  expect(await page.getByText('No rejected items').count()).toBe(0);
});
