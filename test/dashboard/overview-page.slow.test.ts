import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { gate, serve, withWorld, peopleOf, followedBy } from '../e2e/support.ts';
import { changeAppearance, findViolations, startBrowser } from '../support/browser.ts';
import { runSuccessfully, startCli } from '../support/cli.ts';
import { startRedisProcess } from '../support/redis-process.ts';
import { createStoreFile } from '../support/store-file.ts';
import { tempDir } from '../support/temp.ts';
import { openPage } from './open-page.ts';
import { crawlRow, createStoreOf, requestRow } from './store-rows.ts';
import { SETTINGS, startTestDashboard } from './support.ts';

/** The overview in a browser, as people see it. */

const world = withWorld(300, 5);
let browser: Browser | undefined;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser?.close());

const APPEARANCES = ([390, 1280] as const).flatMap((width) =>
  (['light', 'dark'] as const).map((theme) => ({ width, theme })),
);

const HOSTILE = `<script>document.title = "owned"</script><img src=https://example.org/x onerror=alert(1)>"'&lt; \u202egnp.exe مرحبا ${'w'.repeat(400)}`;

/** A store with everything that the page can show. */
function createFullStore(): string {
  const now = Date.now();
  const planned = { planned_requests_min: 1, planned_requests_expected: 40, planned_requests_max: 100 };
  return createStoreOf({
    crawls: [
      crawlRow({ id: 1, state: 'failed', reason: 'unreachable', error: HOSTILE, target: HOSTILE }),
      crawlRow({ id: 2, state: 'paused', reason: 'quota', resume_at: now + 600_000, ...planned, pages: 12 }),
      crawlRow({ id: 3, state: 'running', started_at: now - 90_000, ...planned, pages: 20, requests: 21 }),
      crawlRow({ id: 4, state: 'queued', handle: 'مرحبا', target: 'مرحبا' }),
      crawlRow({ id: 5, state: 'complete', requests: 4 }),
      crawlRow({ id: 6, state: 'partial', reason: 'max_pages', requests: 4 }),
      crawlRow({ id: 7, state: 'capped', kind: 'search', target: '#moon', requests: 1 }),
      crawlRow({ id: 8, state: 'cancelled', requests: 0 }),
    ],
    requests: [
      ...Array.from({ length: 21 }, () => requestRow({ crawl_id: 3 })),
      ...Array.from({ length: 4 }, () => requestRow({ crawl_id: 5, status: 500 })),
      requestRow({ crawl_id: 1 }),
    ],
    _ship_targets: [
      { id: 1, address: `/lakes/${HOSTILE}`, added_at: 1, max_backlog_bytes: 1e9, shipped_bytes: 0, shipped_entry: 3 },
      { id: 2, address: '/lakes/2', added_at: now - 5000, max_backlog_bytes: 1e9, shipped_bytes: 4e8 },
    ],
    _ship_outbox: [{ id: 9, recorded_at: now - 9e6, facts: '{}', total_bytes: 4e8 }],
    _quota_samples: Array.from({ length: 40 }, (_, i) => ({
      sampled_at: now - 15e5 + 3e4 * i + (i > 20 ? 2e5 : 0),
      request_limit: 400,
      remaining: 390 - 8 * i,
      reset_at: now + 3e5,
      key_hash: 'mine',
    })),
  });
}

const textOf = async (page: Page, selector = 'main'): Promise<string> => await page.locator(selector).innerText();

describe('in a browser', () => {
  test.each([
    ['a full store', createFullStore],
    ['an empty store', createStoreFile],
  ])('of %s is accessible, fits every width, and asks for nothing else', async (_, create) => {
    const { url } = await startTestDashboard(create());
    await using opened = await openPage(browser!, url, APPEARANCES[0]!);
    const { page, requests, messages } = opened;
    await page.locator('.figures').waitFor();
    for (const appearance of APPEARANCES) {
      await changeAppearance(page, appearance);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      const found = { violations: await findViolations(page), isWider: width > appearance.width };
      expect({ ...appearance, ...found }).toEqual({ ...appearance, violations: [], isWider: false });
    }
    expect(messages).toEqual([]);
    expect(requests.filter((address) => !address.startsWith(`${url}/`))).toEqual([]);
  });

  test('of an empty store names the cause and one action', async () => {
    const path = createStoreFile();
    const settings = { ...SETTINGS, path, databaseOption: "--db 'my store.db'" };
    const { url } = await startTestDashboard(path, { settings });
    await using opened = await openPage(browser!, url, { width: 1440, theme: 'light' });
    await opened.page.locator('.figures').waitFor();
    const text = await textOf(opened.page);
    expect(text).toContain('No crawls yet: nothing needs attention.');
    expect(text).toMatch(
      /The quota is unknown\s+No crawl has asked the service yet\.\s+trawl quota --db 'my store\.db'\n/,
    );
    expect(text).toMatch(
      /The store is empty\. The first crawl fills it\.\s+trawl crawl timeline @nasa --db 'my store\.db'$/,
    );
  });

  test('a hostile text is only text, and turns nothing around it', async () => {
    const { url } = await startTestDashboard(createFullStore());
    await using opened = await openPage(browser!, url, { width: 820, theme: 'light' });
    const { page, messages } = opened;
    await page.locator('.crawl-table').waitFor();
    const found = await page.evaluate<{ images: number; title: string; text: string; isolated: boolean }>(`({
      images: document.images.length, title: document.title, text: document.querySelector('main').textContent,
      isolated: [...document.querySelectorAll('.cell-target bdi, .reason bdi, .attention bdi')].every((each) => getComputedStyle(each).unicodeBidi === 'isolate'),
    })`);
    expect(found).toMatchObject({ images: 0, isolated: true });
    expect(found.title).not.toBe('owned');
    expect(found.text).toContain('<script>document.title = "owned"</script>');
    expect(found.text).not.toMatch(/[\u202a-\u202e]/);
    expect(messages).toEqual([]);
  });

  test('what needs attention comes first, also on a phone', async () => {
    const { url } = await startTestDashboard(createFullStore());
    await using opened = await openPage(browser!, url, { width: 390, theme: 'dark' });
    const { page } = opened;
    await page.locator('.figures').waitFor();
    const tops = await page.evaluate<number[]>(
      `['.attention', '.figures', '.quota-row', '.crawls'].map((one) => document.querySelector(one).getBoundingClientRect().top)`,
    );
    expect(tops).toEqual(tops.toSorted((a, b) => a - b));
    expect(tops[0]).toBeLessThan(300);
    const severities = await page.locator('.attention li').evaluateAll((all) => all.map(({ className }) => className));
    expect(severities.length).toBeGreaterThan(2);
    expect(severities.lastIndexOf('error')).toBeLessThan(severities.indexOf('warning'));
  });

  test('the keyboard reaches everything: a link to the content, the pages, the theme, what needs attention and the views of crawls', async () => {
    const { url } = await startTestDashboard(createFullStore());
    await using opened = await openPage(browser!, url, { width: 1440, theme: 'light' });
    const { page } = opened;
    await page.locator('.figures').waitFor();
    const pages = await page.locator('.top nav a').allInnerTexts();
    const names: string[] = [];
    for (let i = 0; i < 7 + pages.length; i++) {
      await page.keyboard.press('Tab');
      names.push(
        await page.evaluate<string>(
          `(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent).trim()`,
        ),
      );
    }
    expect(names).toEqual([
      'Skip to content',
      'trawl',
      ...pages,
      'Theme: system. Change to light',
      '1 crawl failed: all attempts failed',
      '1 crawl paused: waiting for quota',
      'Active and needs attention',
      'Newest',
    ]);
    await page.keyboard.press('Enter');
    await page.locator('.crawl-table tr.complete').waitFor();
    const ids = await page.locator('.crawl-table td.id').allInnerTexts();
    expect(ids).toEqual(['8', '7', '6', '5', '4', '3', '2', '1']);
  });

  test('a chosen theme is kept, and shown from the first moment', async () => {
    const { url } = await startTestDashboard(createStoreFile());
    await using opened = await openPage(browser!, url, { width: 820, theme: 'light' });
    const { page } = opened;
    const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    await page.locator('.figures').waitFor();
    const light = await background();
    await page.getByRole('button', { name: 'Theme: system' }).click();
    await page.getByRole('button', { name: 'Theme: light' }).click();
    const dark = await background();
    expect(dark).not.toBe(light);
    const html = await (await page.request.get(url)).text();
    expect(html).toContain('<html data-theme="dark"');
    await page.reload();
    await expect.poll(() => background()).toBe(dark);
  });

  test('it can be printed in the light colours', async () => {
    const { url } = await startTestDashboard(createFullStore());
    await using opened = await openPage(browser!, url, { width: 1440, theme: 'dark' });
    const { page } = opened;
    await page.locator('.plot canvas').waitFor();
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const found = await page.evaluate<{ background: string; nav: string }>(
      `({ background: getComputedStyle(document.body).backgroundColor, nav: getComputedStyle(document.querySelector('nav')).display })`,
    );
    expect(found).toEqual({ background: 'rgb(255, 255, 255)', nav: 'none' });
    const pdf = await page.pdf({ preferCSSPageSize: true });
    expect(pdf.length).toBeGreaterThan(10_000);
  });

  test('a dashboard that stops is not connected, keeps its data with their age, and continues when it is back', async () => {
    const path = createFullStore();
    const first = await startTestDashboard(path);
    const port = Number(new URL(first.url).port);
    await using opened = await openPage(browser!, first.url, { width: 1440, theme: 'light' });
    const { page } = opened;
    await page.getByText('Connected', { exact: true }).waitFor();
    await page.locator('.figures').waitFor();
    await first[Symbol.asyncDispose]();
    await page.locator('.connection.lost').waitFor();
    await expect.poll(() => textOf(page, '.data-age')).toMatch(/Shown as of \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
    expect(await page.locator('.figures').count()).toBe(1);
    await expect.poll(() => page.locator('[role=status]').innerText()).toBe('Not connected');
    await startTestDashboard(path, { port });
    await page.locator('.connection.connected').waitFor();
    await expect.poll(() => textOf(page, '.data-age')).not.toContain('Shown as of');
  });
});

describe('beside a worker and the twin', () => {
  /** Starts `trawl work --dashboard` on a free port; returns the address that signs in. */
  async function startWorker(env: Record<string, string>): Promise<string> {
    const worker = startCli(['work', '--dashboard', '127.0.0.1:0'], { env, cwd: tempDir() });
    return /http:[^"]+/.exec(await worker.waitForLine(/serving the dashboard/))![0];
  }

  test('pages arrive while they are crawled, and the crawl leaves when it ends', async () => {
    const { handle, followers } = followedBy(world, 20);
    const held = gate();
    const service = await serve(world, { pageSize: 1, onAsked: ({ n }) => (n === 10 ? held.opened : undefined) });
    onTestFinished(() => held.open());
    const redis = await startRedisProcess();
    const env = { ...service.env, REDIS_URL: redis.url };
    await runSuccessfully(['enqueue', 'followers', handle, '--yes'], { env });
    const url = await startWorker(env);
    await using opened = await openPage(browser!, url, { width: 1440, theme: 'light' });
    const { page } = opened;
    const row = page.locator('.crawl-table tbody tr');
    await row.waitFor();
    expect(new URL(page.url()).search).toBe('');
    await expect.poll(() => row.locator('.cell-target').innerText()).toBe(handle);
    await expect.poll(() => row.locator('.pages').innerText()).toMatch(/^[78]\b/);
    await expect.poll(() => textOf(page, '.data-age')).toContain('1 worker running');
    // Who spends the quota is read every 5 s.
    await expect.poll(() => textOf(page, '.spending')).toContain(`followers ${handle}`);
    held.open();
    await page.getByText('No active crawl').waitFor();
    await page.getByRole('button', { name: 'Newest' }).click();
    await expect.poll(() => row.locator('.cell-state').innerText()).toBe('Complete');
    expect(Number.parseInt(await row.locator('.pages').innerText(), 10)).toBeGreaterThanOrEqual(followers);
    expect(opened.messages).toEqual([]);
  });

  test('a pause for quota shows at the gauge, in the list and at the crawl', async () => {
    const { handle } = followedBy(world, 30);
    const service = await serve(world, { pageSize: 1, limit: 20, windowMs: 600_000 });
    const redis = await startRedisProcess();
    const env = { ...service.env, REDIS_URL: redis.url };
    await runSuccessfully(['enqueue', 'followers', handle, '--yes', '--priority', 'backfill'], { env });
    const url = await startWorker(env);
    await using opened = await openPage(browser!, url, { width: 1440, theme: 'light' });
    const { page } = opened;
    await page.locator('.attention-title', { hasText: /1 crawl paused: low quota \(\d+ of 20 left\)/ }).waitFor();
    await expect.poll(() => textOf(page, '.ticks')).toMatch(/backfill stops at 4, paused for \d+ min/);
    await expect.poll(() => textOf(page, '.ticks')).toMatch(/interactive stops at 2, may send [12]/);
    await expect.poll(() => textOf(page, '.crawl-table')).toMatch(/waiting for quota, resumes in \d+ min/);
    await expect.poll(() => textOf(page, '.panel:has(#quota) .note')).toMatch(/Quota checked (now|\d+ (s|min) ago)/);
    await expect.poll(() => textOf(page, '.quota-reset')).toMatch(/Resets in \d+ min/);
  });

  test('a service that is out shows with its next probe, and is gone when it is back; the crawl ends', async () => {
    let isOut = true;
    const service = await serve(world, {
      onAsked: () => {
        if (isOut) throw Object.assign(new Error('out'), { statusCode: 503 });
      },
    });
    const redis = await startRedisProcess();
    const env = { ...service.env, REDIS_URL: redis.url };
    await runSuccessfully(['enqueue', 'profile', peopleOf(world, 1)[0]!.handle, '--yes'], { env });
    const url = await startWorker(env);
    await using opened = await openPage(browser!, url, { width: 390, theme: 'light' });
    const { page } = opened;
    const item = page.locator('.attention li', { hasText: /The service.*is unavailable/ });
    await item.waitFor();
    await expect
      .poll(() => item.innerText())
      .toMatch(/user-profile is unavailable[^]*answered 50\d[^]*Crawls resume by themselves\./);
    await expect.poll(() => item.innerText()).toMatch(/Next probe in \d+ (s|min)/);
    expect(await findViolations(page)).toEqual([]);
    isOut = false;
    await page.locator('.attention.quiet').waitFor();
    await page.getByText('No active crawl').waitFor();
    await page.getByRole('button', { name: 'Newest' }).click();
    await expect.poll(() => page.locator('.crawl-table .cell-state').innerText()).toBe('Complete');
  });

  test('a Redis that is lost is an error until it is back; the rest of the page goes on', async () => {
    const service = await serve(world);
    const folder = tempDir();
    const redis = await startRedisProcess({}, folder);
    const env = { ...service.env, REDIS_URL: redis.url };
    await runSuccessfully(['enqueue', 'profile', peopleOf(world, 1)[0]!.handle, '--yes'], { env });
    const url = await startWorker(env);
    await using opened = await openPage(browser!, url, { width: 820, theme: 'dark' });
    const { page } = opened;
    await page.getByText('1 worker running').waitFor();
    await redis.kill();
    await page.locator('.attention li.error').waitFor();
    await expect.poll(() => textOf(page, '.attention-title')).toMatch(/Error:\s+(The queue does not answer|.*Redis)/);
    await expect.poll(() => textOf(page, '.attention')).toContain('Crawls are kept in the store');
    await changeAppearance(page, { width: 390, theme: 'dark' });
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect(await page.locator('.connection.connected').count()).toBe(1);
    expect(await findViolations(page)).toEqual([]);
    await startRedisProcess({}, folder);
    await page.locator('.attention.quiet').waitFor();
    await page.getByText('1 worker running').waitFor();
  });
});
