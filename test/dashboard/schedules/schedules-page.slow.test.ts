import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { peopleOf, serve, withWorld } from '../../e2e/support.ts';
import { changeAppearance, findViolations, startBrowser } from '../../support/browser.ts';
import { runSuccessfully, startCli } from '../../support/cli.ts';
import { startRedisProcess } from '../../support/redis-process.ts';
import { createStoreFile } from '../../support/store-file.ts';
import { tempDir } from '../../support/temp.ts';
import { openPage } from '../open-page.ts';
import { startTestDashboard } from '../support.ts';
import { createJobStore } from './job-store.ts';

const world = withWorld(60, 11);
let browser: Browser;
beforeAll(async () => void (browser = await startBrowser()));
afterAll(() => browser?.close());

const LONG = { timeout: 60_000 };

describe('the page Schedules', () => {
  test('no violation in both themes and two widths, also with hostile texts', { timeout: 180_000 }, async () => {
    const { url } = await startTestDashboard(createJobStore());
    for (const path of ['/schedules', '/schedules/hourly', '/schedules/disabled', '/schedules/nobody']) {
      await using opened = await openPage(browser, url + path, { width: 1440, theme: 'light' });
      const { page, requests, messages } = opened;
      await page.locator('.job-table, .definition, .empty-title').first().waitFor(LONG);
      expect(await page.locator('main img').count()).toBe(0);
      for (const width of [390, 1280])
        for (const theme of ['light', 'dark'] as const) {
          await changeAppearance(page, { width, theme });
          expect(await findViolations(page), `${path} ${width} ${theme}`).toEqual([]);
          expect(await page.evaluate<number>('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(width);
        }
      expect(requests.filter((request) => !request.startsWith(url))).toEqual([]);
      expect(messages.filter((message) => !message.includes('status of 404'))).toEqual([]);
    }
  });

  test('an empty store says what to do', { timeout: 60_000 }, async () => {
    const { url } = await startTestDashboard(createStoreFile());
    await using opened = await openPage(browser, `${url}/schedules`, { width: 820, theme: 'light' });
    await opened.page.getByText('No scheduled jobs').waitFor(LONG);
    expect(await opened.page.locator('.empty-action').innerText()).toBe('trawl schedule sync jobs');
    expect(await opened.page.locator('.banner').count()).toBe(0);
  });

  test(
    'the keyboard leads from the overview to a failing job, and to the crawls of a run',
    { timeout: 120_000 },
    async () => {
      const { url } = await startTestDashboard(createJobStore());
      await using opened = await openPage(browser, url, { width: 1440, theme: 'light' });
      const { page } = opened;
      const item = page.getByRole('link', { name: 'Job failing: the last 3 runs failed (not_found)' });
      await item.waitFor(LONG);
      await item.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'failing' }).waitFor(LONG);
      await page.getByText('No worker running.').waitFor(LONG);
      expect(await page.locator('.run-table tbody tr').first().innerText()).toContain('Missed');
      const failed = page.getByRole('row').filter({ hasText: 'the service does not have it' }).first();
      expect(await failed.innerText()).toContain('Failed');
      await failed.getByRole('link', { name: '1 crawl of run 13' }).press('Enter');
      await page.waitForURL(`${url}/crawls?job=failing&run=13`);
      await page.locator('.crawl-list-body .crawl-list-row').waitFor(LONG);
      expect(await page.locator('.crawl-list-body .crawl-list-row').count()).toBe(1);
    },
  );

  test('without Redis it shows what the database has', { timeout: 60_000 }, async () => {
    const { url } = await startTestDashboard(createJobStore(), {
      readQueue: async () => ({ problem: 'the Redis of REDIS_URL does not answer' }),
    });
    await using opened = await openPage(browser, `${url}/schedules`, { width: 390, theme: 'dark' });
    const { page } = opened;
    await page.getByText('The queue does not answer').waitFor(LONG);
    await page.getByText('Workers not known').waitFor(LONG);
    expect(await page.locator('.job-table tbody tr').count()).toBe(5);
    expect(await findViolations(page)).toEqual([]);
  });
});

describe('beside a worker with a schedule', () => {
  test(
    'a run appears with its outcome and its yield, and the worker that serves it',
    { timeout: 240_000 },
    async () => {
      const service = await serve(world);
      const redis = await startRedisProcess();
      const env = { ...service.env, REDIS_URL: redis.url };
      const [star, other] = peopleOf(world, 2);
      const jobs = join(tempDir(), 'jobs');
      mkdirSync(jobs);
      writeFileSync(
        join(jobs, 'nightly.yaml'),
        `every: 1d\nkind: profile\ntargets: [${star!.handle}, ${other!.handle}]\n`,
      );
      writeFileSync(join(jobs, 'lost.yaml'), 'every: 1d\nkind: profile\ntargets: [nobody_has_this_name]\n');
      await runSuccessfully(['schedule', 'sync', jobs], { env });
      const worker = startCli(['work', '--jobs', jobs, '--dashboard', '127.0.0.1:0'], { env, cwd: tempDir() });
      const address = /http:[^"]+/.exec(await worker.waitForLine(/serving the dashboard/))![0];
      await using opened = await openPage(browser, address, { width: 1440, theme: 'light' });
      const { page } = opened;
      await page.getByRole('link', { name: 'Schedules' }).click();
      const row = (name: string) =>
        page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
      await row('nightly').getByText('Succeeded').waitFor(LONG);
      await row('lost').getByText('Failed').waitFor(LONG);
      await row('lost').getByText('the service does not have it').waitFor(LONG);
      await page.locator('.page-header').getByText('1 worker running').waitFor(LONG);
      expect(await page.getByText('No worker running').count()).toBe(0);
      await page.getByRole('link', { name: 'nightly', exact: true }).click();
      await page.getByText('2 new, 0 changed').waitFor(LONG);
      expect(await findViolations(page)).toEqual([]);
    },
  );
});
