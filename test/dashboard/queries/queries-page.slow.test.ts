import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, describe, expect, test } from 'vitest';
import { readParquet } from '../../support/tables.ts';
import { createTempDir, tempFile } from '../../support/temp.ts';
import { createAccountStore } from '../accounts/account-store.ts';
import { type OpenPage, shareBrowser } from '../open-page.ts';
import { SETTINGS, shareDashboard } from '../support.ts';
import { createQueryFolder } from './query-folder.ts';
import { countQueryProcesses } from './query-processes.ts';

const folder = createTempDir();
afterAll(() => folder[Symbol.dispose]());
createQueryFolder(folder.path);
const browser = shareBrowser();
const shared = shareDashboard(
  (file) => createAccountStore(5, { file }),
  (path) => ({ settings: { ...SETTINGS, path, queryFolders: [folder.path] } }),
);

describe('the page Queries', () => {
  test('the keyboard finds a query, fills its form, runs it and sorts its rows; the address has it all', async () => {
    const page = await browser.open(`${shared.url}/queries`);
    await page.getByRole('searchbox').pressSequentially('numbers');
    await page.getByText('1 of').waitFor();
    await page.getByRole('link', { name: 'Which numbers are there?' }).press('Enter');
    const count = page.getByRole('textbox', { name: 'Count' });
    await count.fill('x');
    await count.press('Enter');
    await page.getByText('Count should be a whole number from 1 to 1000000').waitFor();
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('field-count');
    await count.fill('300');
    await count.press('Enter');
    await page.getByText('300 rows').waitFor();
    const square = page.getByRole('button', { name: 'square' });
    await square.press('Enter');
    await page.locator('[aria-sort="ascending"]').waitFor();
    await square.press('Enter');
    await page.locator('[aria-sort="descending"]').waitFor();
    const query = new URL(page.url()).searchParams;
    expect(Object.fromEntries(query)).toEqual({ count: '300', 'sort-by': '-square', 'run-now': '1' });
    // Who opens the address sees the same.
    await page.goto(page.url());
    const first = page.locator('.row-table tbody tr').first();
    await expect.poll(() => first.locator('td').allTextContents()).toEqual(['300', '90000', 'row 300']);
  });

  test('a link without a run starts nothing; a slow query is cancelled, also when its page is left', async () => {
    const page = await browser.open(`${shared.url}/queries/endless`);
    const run = page.getByRole('button', { name: 'Run' });
    await run.waitFor();
    expect(countQueryProcesses()).toBe(0);
    await run.click();
    await page.getByText('Running…').waitFor();
    await expect.poll(countQueryProcesses).toBe(1);
    // Live updates arrive, and other pages are read.
    await page.locator('.connection.connected').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled').waitFor();
    await expect.poll(countQueryProcesses).toBe(0);
    await run.click();
    await expect.poll(countQueryProcesses).toBe(1);
    await page.getByRole('link', { name: 'All queries' }).click();
    await expect.poll(countQueryProcesses).toBe(0);
  });

  test('what was not collected has its command, and a query without a chart leads to its rows', async () => {
    const page = await browser.open(`${shared.url}/queries/mutual-follows?account=star&run-now=1`);
    await page.locator('.empty-title', { hasText: 'No rows' }).waitFor();
    expect(await page.getByRole('list', { name: 'Missing data' }).textContent()).toContain(
      'trawl crawl following star',
    );
    await page.goto(`${shared.url}/queries/tweets-per-period?account=user_3&view-as=chart&run-now=1`);
    await page.locator('.empty-title', { hasText: 'No chart' }).waitFor();
    await page.getByRole('combobox', { name: 'View' }).selectOption('table');
    await page.locator('.empty-title', { hasText: 'No rows' }).waitFor();
    await page.goto(`${shared.url}/queries/mutual-follows?account=nobody&run-now=1`);
    await page.locator('.empty-title', { hasText: 'Not collected' }).waitFor();
    expect(await page.locator('.empty-action').textContent()).toBe('trawl crawl profile nobody');
  });

  test('a query whose rows are mostly zeros opens on its chart, unless the address says otherwise', async () => {
    const page = await browser.open(`${shared.url}/queries/rare?run-now=1`);
    await page.locator('.result-chart').waitFor();
    expect(new URL(page.url()).searchParams.get('view-as')).toBe('chart');
    await page.getByRole('combobox', { name: 'View' }).selectOption('table');
    await page.getByText('30 rows').waitFor();
    expect(new URL(page.url()).searchParams.get('view-as')).toBe('table');
  });

  test('rows stay until those of other values are there, also after two changes', async () => {
    const page = await browser.open(`${shared.url}/queries/many?count=3&run-now=1`);
    await page.getByText('3 rows').waitFor();
    await page.evaluate(`
      window.wasEmpty = false;
      new MutationObserver(() => { window.wasEmpty ||= !document.querySelector('.row-table'); })
        .observe(document.body, { childList: true, subtree: true });
    `);
    const count = page.getByRole('textbox', { name: 'Count' });
    for (const n of ['4', '5']) {
      await count.fill(n);
      await count.press('Enter');
    }
    await page.getByText('5 rows').waitFor();
    expect(await page.evaluate('window.wasEmpty')).toBe(false);
  });

  test('each format is downloaded, and has the rows', async () => {
    const page = await browser.open(`${shared.url}/queries/many?count=3&run-now=1`);
    await page.getByText('3 rows').waitFor();
    const expected = [1, 2, 3].map((i) => ({ i, square: i * i, label: `row ${i}` }));
    for (const [extension, read] of Object.entries(READERS)) {
      const file = await download(page, extension);
      expect(await read(file), extension).toEqual(expected);
    }
    expect(readFileSync(await download(page, 'md'), 'utf8')).toContain('| i | square | label |');
    expect(readFileSync(await download(page, 'txt'), 'utf8')).toContain('row 3');
    expect(readFileSync(await download(page, 'svg'), 'utf8')).toMatch(/^<svg [^]*Which numbers are there\?/);
  });

  async function download(page: OpenPage, extension: string): Promise<string> {
    await page.getByRole('combobox', { name: 'File' }).selectOption(extension);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe(`many.${extension}`);
    const path = tempFile(`many.${extension}`);
    await file.saveAs(path);
    return path;
  }
});

const toNumbers = (rows: Record<string, string>[]) =>
  rows.map(({ i, square, label }) => ({ i: Number(i), square: Number(square), label }));

/** Reads the rows of a file, by libraries that did not write it. */
const READERS: Readonly<Record<string, (path: string) => unknown>> = {
  csv: (path) => toNumbers(parse(readFileSync(path), { columns: true })),
  json: (path) => JSON.parse(readFileSync(path, 'utf8')),
  jsonl: (path) =>
    readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  xlsx: async (path) => {
    const { sheets } = await readXlsx(readFileSync(path));
    const [head = [], ...rows] = sheets[0]!.rows;
    return rows.map((row) => Object.fromEntries(head.map((name, k) => [String(name), row[k]])));
  },
  parquet: async (path) => {
    const { columns, rows } = await readParquet(readFileSync(path));
    return toNumbers(rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i] as string]))));
  },
};
