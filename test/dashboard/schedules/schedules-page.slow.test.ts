import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { peopleOf, serve, withWorld } from '../../e2e/support.ts';
import { findViolations } from '../../support/browser.ts';
import { runSuccessfully, startCli } from '../../support/cli.ts';
import { startRedisProcess } from '../../support/redis-process.ts';
import { createStoreFile } from '../../support/store-file.ts';
import { tempDir } from '../../support/temp.ts';
import { shareBrowser } from '../open-page.ts';
import { shareDashboard, startTestDashboard } from '../support.ts';
import { createJobStore } from './job-store.ts';

const world = withWorld(60, 11);
const browser = shareBrowser();
const shared = shareDashboard(createJobStore);

describe('the page Schedules', () => {
  test('an empty store says what to do', async () => {
    const { url } = await startTestDashboard(createStoreFile());
    const page = await browser.open(`${url}/schedules`);
    await page.getByText('No scheduled jobs').waitFor();
    expect(await page.locator('.empty-action').innerText()).toBe('trawl schedule sync jobs');
    expect(await page.locator('.banner').count()).toBe(0);
  });

  test('the keyboard leads from the overview to a failing job, and to the crawls of a run', async () => {
    const page = await browser.open(shared.url);
    await page.getByRole('link', { name: 'Job failing: the last 3 runs failed (not_found)' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'failing' }).waitFor();
    await page.locator('.banner').getByText('No worker is running').waitFor();
    expect(await page.locator('.block-table tbody tr').first().innerText()).toContain('Missed');
    const failed = page.getByRole('row').filter({ hasText: 'the service does not have it' }).first();
    expect(await failed.innerText()).toContain('Failed');
    await failed.getByRole('link', { name: '1 crawl of run 13' }).press('Enter');
    await page.waitForURL(`${shared.url}/crawls?job=failing&run=13`);
    await expect.poll(() => page.locator('.block-table tbody tr').count()).toBe(1);
  });

  test('without Redis it shows what the database has', async () => {
    const { url } = await startTestDashboard(createJobStore(), {
      readQueue: async () => ({ problem: 'the Redis of REDIS_URL does not answer' }),
    });
    const page = await browser.open(`${url}/schedules`, { width: 390, theme: 'dark' });
    await page.getByText('Workers: unknown').waitFor();
    expect(await page.locator('.block-table tbody tr').count()).toBe(5);
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
      const page = await browser.open(address);
      await page.getByRole('link', { name: 'Schedules' }).click();
      const row = (name: string) =>
        page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
      await row('nightly').getByText('Succeeded').waitFor();
      await row('lost').getByText('Failed').waitFor();
      await row('lost').getByText('the service does not have it').waitFor();
      await page.locator('.page-header').getByText('1 worker running').waitFor();
      expect(await page.getByText('No worker is running').count()).toBe(0);
      await page.getByRole('link', { name: 'nightly', exact: true }).click();
      await page.getByText('2 new, 0 changed').waitFor();
      expect(await findViolations(page)).toEqual([]);
    },
  );
});
