import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { readXlsx } from 'hucre/xlsx';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeAppearance, findViolations, startBrowser } from '../../support/browser.ts';
import { createStoreFile } from '../../support/store-file.ts';
import { readParquet } from '../../support/tables.ts';
import { tempFile } from '../../support/temp.ts';
import { createAccountStore } from '../accounts/account-store.ts';
import { openPage } from '../open-page.ts';
import { SETTINGS, startTestDashboard } from '../support.ts';
import { createQueryFolder, HOSTILE_CELLS } from './query-folder.ts';
import { countQueryProcesses } from './query-processes.ts';

async function start(path: string): Promise<string> {
  const settings = { ...SETTINGS, path, queryFolders: [createQueryFolder()] };
  return (await startTestDashboard(path, { settings })).url;
}

describe('the page Queries', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await startBrowser()));
  afterAll(() => browser.close());

  test('no violation in both themes and two widths: the list, rows, a chart, wrong values, nothing collected', async () => {
    const url = await start(await createAccountStore(5));
    const pages = [
      ['', '.query-list'],
      ['/hostile?run-now=1', '.result-body button'],
      ['/many?count=40&view-as=chart&run-now=1', '.result-chart'],
      ['/tweets-per-period?since=x&run-now=1', '.field-problem'],
      ['/mutual-follows?account=star&run-now=1', '.missing-data'],
    ] as const;
    for (const [path, ready] of pages) {
      await using opened = await openPage(browser, `${url}/queries${path}`, { width: 1440, theme: 'light' });
      const { page, requests, messages } = opened;
      await page.locator(ready).first().waitFor();
      for (const width of [390, 1280])
        for (const theme of ['light', 'dark'] as const) {
          await changeAppearance(page, { width, theme });
          expect(await findViolations(page), `${path} ${width} ${theme}`).toEqual([]);
          expect(await page.evaluate<number>('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(width);
        }
      expect(requests.filter((request) => !request.startsWith(url) && !request.startsWith('data:'))).toEqual([]);
      expect(messages).toEqual([]);
    }
  });

  test('the keyboard finds a query, fills its form, runs it, sorts and reads its rows; the address has it all', async () => {
    const url = await start(createStoreFile());
    await using opened = await openPage(browser, `${url}/queries`, { width: 1440, theme: 'light' });
    const { page } = opened;
    await page.getByRole('searchbox').pressSequentially('numbers');
    await page.getByText('1 of').waitFor();
    await page.getByRole('link', { name: 'Which numbers are there?' }).press('Enter');
    const count = page.getByRole('textbox', { name: 'Count' });
    await count.fill('x');
    await count.press('Enter');
    await page.getByText('Count should be a whole number from 1 to 1000000').waitFor();
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('field-count');
    await count.fill('3000');
    await count.press('Enter');
    await page.getByText('3,000 rows').waitFor();
    await page.getByRole('button', { name: 'square' }).press('Enter');
    await page.locator('[aria-sort="ascending"]').waitFor();
    await page.getByRole('button', { name: 'square' }).press('Enter');
    await page.locator('[aria-sort="descending"]').waitFor();
    const query = new URL(page.url()).searchParams;
    expect(Object.fromEntries(query)).toEqual({ count: '3000', 'sort-by': '-square', 'run-now': '1' });

    // Who opens the address sees the same.
    await page.goto(page.url());
    // The key follows the focus at once, before anything is drawn again.
    await page.getByRole('button', { name: 'Row 1', exact: true }).waitFor();
    await page.evaluate(`
      const first = document.querySelector('[aria-label="Row 1"]');
      first.focus();
      first.dispatchEvent(new KeyboardEvent('keydown', { key: 'End', bubbles: true, cancelable: true }));
    `);
    await page.locator('[data-index="2999"] button:focus').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.locator('[data-index="2998"] button:focus').waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Row 2999' });
    await dialog.waitFor();
    expect(await dialog.locator('dd').allTextContents()).toEqual(['2', '4', 'row 2']);
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.locator('[data-index="2998"] button:focus').waitFor();
  });

  test('a link without a run starts nothing; a slow query is cancelled, or ends at its time limit', async () => {
    const url = await start(createStoreFile());
    await using opened = await openPage(browser, `${url}/queries/endless`, { width: 820, theme: 'dark' });
    const { page, requests } = opened;
    await page.getByRole('button', { name: 'Run' }).waitFor();
    expect(requests.filter((request) => request.includes('/result'))).toEqual([]);
    await page.getByRole('combobox', { name: 'Time limit' }).selectOption('300');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('Running…').waitFor();
    await expect.poll(countQueryProcesses).toBe(1);
    // Live updates arrive, and other pages are read.
    await page.locator('.connection.connected').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled').waitFor();
    await expect.poll(countQueryProcesses).toBe(0);
    // A page that is left cancels, too.
    await page.getByRole('button', { name: 'Run' }).click();
    await expect.poll(countQueryProcesses).toBe(1);
    await page.getByRole('link', { name: 'All queries' }).click();
    await expect.poll(countQueryProcesses).toBe(0);

    await page.goto(`${url}/queries/endless?time-limit=1&run-now=1`);
    const alert = page.getByRole('alert');
    await alert.filter({ hasText: 'The statement took longer than 1 s' }).waitFor();
    expect(await alert.textContent()).toContain('allow more time');
  });

  test('no results, not collected and an unknown account are told apart', async () => {
    const url = await start(await createAccountStore(5));
    await using opened = await openPage(browser, `${url}/queries/empty?word=x&run-now=1`, {
      width: 1440,
      theme: 'light',
    });
    const { page } = opened;
    await page.locator('.empty-title', { hasText: 'No results' }).waitFor();
    expect(await page.locator('.missing-data').count()).toBe(0);
    await page.goto(`${url}/queries/mutual-follows?account=star&run-now=1`);
    await page.locator('.empty-title', { hasText: 'No rows' }).waitFor();
    expect(await page.locator('.missing-data').textContent()).toContain(
      'Not collected the accounts followed by star trawl crawl following star collects it',
    );
    await page.goto(`${url}/queries/tweets-per-period?account=star&run-now=1`);
    await page.locator('.missing-data', { hasText: 'Collected in part' }).waitFor();
    await page.locator('.result-body button').first().waitFor();
    // An account without tweets has no chart, and the page still leads to its rows.
    await page.goto(`${url}/queries/tweets-per-period?account=user_3&view-as=chart&run-now=1`);
    await page.locator('.empty-title', { hasText: 'No chart' }).waitFor();
    await page.getByRole('button', { name: 'Table' }).press('Enter');
    await page.locator('.empty-title', { hasText: 'No rows' }).waitFor();
    await page.goto(`${url}/queries/mutual-follows?account=nobody&run-now=1`);
    await page.locator('.empty-title', { hasText: 'Not collected' }).waitFor();
    expect(await page.locator('.empty-action').textContent()).toBe('trawl crawl profile nobody collects it');
  });

  test('hostile texts are shown as texts', async () => {
    const url = await start(createStoreFile());
    await using opened = await openPage(browser, `${url}/queries/hostile?run-now=1`, { width: 1440, theme: 'light' });
    const { page, messages } = opened;
    await page.locator('.result-body button').first().waitFor();
    const cells = await page.locator('.result-body [role="cell"]:nth-child(2)').allTextContents();
    expect(cells).toHaveLength(HOSTILE_CELLS.length);
    expect(cells[1]).toBe(HOSTILE_CELLS[1]);
    expect(cells[2]).toBe('\ufffdgnp.exe');
    expect(await page.locator('main img').count()).toBe(0);
    expect(messages).toEqual([]);
  });

  test('each format is downloaded, and has the rows', async () => {
    const url = await start(createStoreFile());
    await using opened = await openPage(browser, `${url}/queries/many?count=3&run-now=1`, {
      width: 1440,
      theme: 'light',
    });
    const { page } = opened;
    await page.getByText('3 rows').waitFor();
    const expected = [1, 2, 3].map((i) => ({ i, square: i * i, label: `row ${i}` }));
    for (const [extension, read] of Object.entries(READERS)) {
      const file = await download(page, extension);
      expect(await read(file), extension).toEqual(expected);
    }
    expect(readFileSync(await download(page, 'md'), 'utf8')).toContain('| i | square | label |');
    expect(readFileSync(await download(page, 'txt'), 'utf8')).toContain('row 3');
    expect(readFileSync(await download(page, 'svg'), 'utf8')).toMatch(/^<svg [^]*Which numbers are there\?/);
    const [origin] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'its origin' }).click(),
    ]);
    expect(origin.suggestedFilename()).toBe('many.svg.meta.json');
    const path = tempFile('origin.json');
    await origin.saveAs(path);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
      name: 'many.svg',
      query: { values: { count: '3' } },
    });
  });

  async function download(page: Page, extension: string): Promise<string> {
    await page.getByRole('combobox', { name: 'Format of the file' }).selectOption(extension);
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
