import { describe, expect, onTestFinished, test } from 'vitest';
import { followedBy, gate, peopleOf, serve, withWorld } from '../e2e/support.ts';
import { changeAppearance, findViolations } from '../support/browser.ts';
import { runSuccessfully, startCli } from '../support/cli.ts';
import { startRedisProcess } from '../support/redis-process.ts';
import { createStoreFile } from '../support/store-file.ts';
import { tempDir } from '../support/temp.ts';
import { type OpenPage, shareBrowser } from './open-page.ts';
import { createFullStore } from './overview-store.ts';
import { SETTINGS, shareDashboard, startTestDashboard } from './support.ts';

/** The overview in a browser, as people see it. */

const world = withWorld(300, 5);
const browser = shareBrowser();
const shared = shareDashboard(createFullStore);

const textOf = async (page: OpenPage, selector = 'main'): Promise<string> => await page.locator(selector).innerText();

describe('in a browser', () => {
  test('of an empty store names the cause and one action', async () => {
    const path = createStoreFile();
    const settings = { ...SETTINGS, path, databaseOption: "--db 'my store.db'" };
    const { url } = await startTestDashboard(path, { settings });
    const page = await browser.open(url);
    await page.locator('.figures').waitFor();
    const text = await textOf(page);
    expect(text).toContain('No crawls yet: nothing needs attention.');
    expect(text).toMatch(/The quota is unknown[^]*trawl quota --db 'my store\.db'\n/);
    expect(text).toMatch(/The first crawl fills it\.\s+trawl crawl timeline @nasa --db 'my store\.db'$/);
  });

  test('a hostile text is only text, and turns nothing around it', async () => {
    const page = await browser.open(shared.url);
    await page.locator('.block-table').waitFor();
    const found = await page.evaluate<{ images: number; title: string; isolated: boolean }>(`({
      images: document.images.length, title: document.title,
      isolated: [...document.querySelectorAll('.block-table bdi, .attention bdi')].every((each) => getComputedStyle(each).unicodeBidi === 'isolate'),
    })`);
    expect(found).toMatchObject({ images: 0, isolated: true });
    expect(found.title).not.toBe('owned');
    expect(await page.locator('main').textContent()).toContain('<script>document.title = "owned"</script>');
  });

  test('the keyboard reaches everything, and what needs attention first, errors before warnings', async () => {
    const page = await browser.open(shared.url);
    await page.locator('.figures').waitFor();
    const pages = await page.locator('.top nav a').allInnerTexts();
    const names: string[] = [];
    for (let i = 0; i < 10 + pages.length; i++) {
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
      'Acknowledge: No worker is running',
      '1 crawl failed: all attempts failed',
      'Acknowledge: 1 crawl failed: all attempts failed',
      'Acknowledge: Facts wait to be shipped',
      '1 crawl paused: waiting for quota',
      'Acknowledge: 1 crawl paused: waiting for quota',
      'All crawls',
    ]);
  });

  test('what is acknowledged is below the rest, also after a reload, until it is shown again', async () => {
    const page = await browser.open(shared.url);
    const items = page.locator('.attention > .rows > li');
    await expect.poll(() => items.count()).toBe(4);
    await page.getByRole('button', { name: /^Acknowledge ?: 1 crawl failed/ }).click();
    await page.getByText('Acknowledged: 1').waitFor();
    expect(await items.count()).toBe(3);
    await expect.poll(() => textOf(page, '.figures')).toMatch(/Needs attention\s+3 items/);
    await page.reload();
    await page.getByText('Acknowledged: 1').click();
    await page.getByRole('button', { name: /^Show again ?: 1 crawl failed/ }).click();
    await expect.poll(() => items.count()).toBe(4);
    expect(await page.getByText('Acknowledged').count()).toBe(0);
    // A browser that blocks its storage.
    for (const name of ['localStorage', 'sessionStorage'])
      await page.addInitScript(
        `Object.defineProperty(window, '${name}', { get: () => { throw new Error('blocked'); } })`,
      );
    await page.reload();
    await expect.poll(() => items.count()).toBe(4);
  });

  test('a phone shows the tabs of all pages', async () => {
    const page = await browser.open(shared.url, { width: 390, theme: 'light' });
    const tabs = page.locator('.top nav a');
    await tabs.first().waitFor();
    for (const tab of await tabs.all()) {
      const { x, width } = (await tab.boundingBox())!;
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(390);
    }
  });

  test('a chosen theme is kept, and shown from the first moment; on paper it is light', async () => {
    const page = await browser.open(shared.url);
    const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    await page.locator('.figures').waitFor();
    const light = await background();
    await page.getByRole('button', { name: 'Theme: system' }).click();
    await page.getByRole('button', { name: 'Theme: light' }).click();
    const dark = await background();
    expect(dark).not.toBe(light);
    const html = await (await page.request.get(shared.url)).text();
    expect(html).toContain('<html data-theme="dark"');
    await page.reload();
    await expect.poll(() => background()).toBe(dark);
    await page.emulateMedia({ media: 'print' });
    await expect.poll(() => background()).toBe('rgb(255, 255, 255)');
    expect(await page.locator('nav').first().isVisible()).toBe(false);
  });

  test('a dashboard that stops is not connected, keeps its data with their age, and continues when it is back', async () => {
    const path = createFullStore();
    const first = await startTestDashboard(path);
    const port = Number(new URL(first.url).port);
    const page = await browser.open(first.url);
    await page.getByText('Connected', { exact: true }).waitFor();
    await page.locator('.figures').waitFor();
    await first[Symbol.asyncDispose]();
    await page.locator('.connection.lost').waitFor();
    await expect.poll(() => textOf(page, '.data-age')).toMatch(/Shown as of \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
    expect(await page.locator('.figures').count()).toBe(1);
    await expect.poll(() => page.locator('.visually-hidden[role=status]').innerText()).toBe('Not connected');
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
    const page = await browser.open(url);
    const row = page.locator('.block-table tbody tr');
    await row.waitFor();
    expect(new URL(page.url()).search).toBe('');
    await expect.poll(() => row.locator('.head').innerText()).toBe(handle);
    await expect.poll(() => row.locator('.pages').innerText()).toMatch(/^[78]\b/);
    await expect.poll(() => textOf(page, '.data-age')).toContain('1 worker running');
    // Who spends the quota is read every 5 s.
    await expect.poll(() => textOf(page, '.panel:has(#spending)')).toContain(`followers ${handle}`);
    held.open();
    await page.getByText('No active crawl').waitFor();
    await page.getByRole('link', { name: 'All crawls' }).click();
    await expect.poll(() => row.innerText()).toContain('Complete');
    expect(Number.parseInt(await row.locator('.pages').innerText(), 10)).toBeGreaterThanOrEqual(followers);
  });

  test('a pause for quota shows at the gauge, in the list and at the crawl', async () => {
    const { handle } = followedBy(world, 30);
    const service = await serve(world, { pageSize: 1, limit: 20, windowMs: 600_000 });
    const redis = await startRedisProcess();
    const env = { ...service.env, REDIS_URL: redis.url };
    await runSuccessfully(['enqueue', 'followers', handle, '--yes', '--priority', 'backfill'], { env });
    const url = await startWorker(env);
    const page = await browser.open(url);
    await page.locator('.attention-title', { hasText: /1 crawl paused: low quota \(\d+ of 20 left\)/ }).waitFor();
    await expect.poll(() => textOf(page, '.ticks')).toMatch(/backfill stops at 4, paused for \d+ min/);
    await expect.poll(() => textOf(page, '.ticks')).toMatch(/interactive stops at 2, may send [12]/);
    await expect.poll(() => textOf(page, '.block-table')).toMatch(/waiting for quota, resumes in \d+ min/);
    await expect
      .poll(() => textOf(page, '.panel:has(#quota) .note'))
      .toMatch(/Quota checked (just now|\d+ (s|min) ago)/);
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
    const page = await browser.open(url, { width: 390, theme: 'light' });
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
  });

  test('a Redis that is lost is an error until it is back; the rest of the page goes on', async () => {
    const service = await serve(world);
    const folder = tempDir();
    const redis = await startRedisProcess({}, folder);
    const env = { ...service.env, REDIS_URL: redis.url };
    await runSuccessfully(['enqueue', 'profile', peopleOf(world, 1)[0]!.handle, '--yes'], { env });
    const url = await startWorker(env);
    const page = await browser.open(url, { width: 820, theme: 'dark' });
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
