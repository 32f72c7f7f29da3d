import { describe, expect, test } from 'vitest';
import { NO_OUTAGE } from '#crawl/gates/outage/breaker-policy.ts';
import { type OpenPage, shareBrowser } from './open-page.ts';
import { SETTINGS, shareDashboard } from './support.ts';
import { CRAWLS, QUOTA, simulateTenHours } from './ten-hours.ts';

/**
 * Somebody leaves crawls running for ten hours, comes back, and looks at the screens only. They must be able to tell:
 * - what needs them now: what failed and why, what is paused, why and until when, and whether anybody works;
 * - what finished, what each claims and by which evidence, and what is missing of what ended early;
 * - what was slow: which crawls took hours, and how much of this time each waited;
 * - why it waited: for quota, or for a service that was out, and when;
 * - that nothing of it needs them: the outage ended, and its crawls are complete.
 */

const browser = shareBrowser();
/** Beside a worker with the settings of the run. */
const shared = shareDashboard(simulateTenHours, (path) => ({
  settings: { ...SETTINGS, path, reserve: { requests: QUOTA.reserve } },
  readQueue: async () => ({ description: 'of the run', counts: {}, workers: 1, quota: undefined, outage: NO_OUTAGE }),
}));

describe('after ten hours, the screens say', () => {
  async function open(address: string, ready: string): Promise<{ page: OpenPage; text: () => Promise<string> }> {
    const page = await browser.open(shared.url + address);
    await page.locator(ready).first().waitFor();
    return { page, text: () => page.locator('main').innerText() };
  }

  test('what needs a person now, and what goes on by itself', async () => {
    const { page, text } = await open('/', '.block-table');
    const items = await page.locator('.attention li').allInnerTexts();
    expect(items).toHaveLength(2);
    expect(items[0]).toMatch(
      /1 crawl failed: the service does not have it 10 h (\d+ min )?ago[^]*the user does not exist/,
    );
    expect(items[1]).toMatch(/1 crawl paused: waiting for quota[^]*The first resumes in \d+ min/);
    await expect.poll(() => text()).toContain('1 worker running');
    await expect.poll(() => text()).toMatch(/5 complete or capped, 1 partial/);
    const rows = await page.locator('.block-table tbody tr').allInnerTexts();
    expect(rows.map((row) => row.split(/\s+/, 3))).toEqual([
      [String(CRAWLS.failed), 'Failed', 'profile'],
      [String(CRAWLS.paused), 'Paused', 'timeline'],
    ]);
  });

  test('what finished, and what took longest', async () => {
    const { page, text } = await open('/crawls?sort=duration', '.block-table a');
    await page.locator('.facets summary').click();
    for (const count of [/Complete\s+4/, /Capped\s+1/, /Partial\s+1/, /Failed\s+1/, /Paused\s+1/])
      await expect.poll(() => text()).toMatch(count);
    const rows = await page.locator('.block-table tbody tr').allInnerTexts();
    const slow = rows.slice(0, CRAWLS.slow.length);
    expect(new Set(slow.map((row) => Number.parseInt(row, 10)))).toEqual(new Set(CRAWLS.slow));
    // A quota of 32 requests an hour for the lowest priority, for 150 pages.
    for (const row of slow) expect(row).toMatch(/Complete[^]*10 h (\d+ min )?ago[^]*\b[34] h/);
    expect(rows.find((row) => row.startsWith(String(CRAWLS.partial)))).toMatch(
      /Partial[^]*page limit reached: more remain/,
    );
  });

  test.each(CRAWLS.slow)('why crawl %i was slow: the quota, and a service that was out', async (id) => {
    const { page, text } = await open(`/crawls/${id}`, '.evidence');
    await expect.poll(() => text()).toContain('the service ended the list');
    const duration = await page.locator('.figures > div', { hasText: 'Duration' }).innerText();
    const [, quota, failure] =
      /[Ww]aited (\d+) h .*for quota, (\d+ (?:h|min)).* after failed requests/.exec(duration) ?? [];
    expect(Number(quota)).toBeGreaterThanOrEqual(2);
    // It was out for 40 min. Probes spend what the quota leaves to backfills, which go on with the next window.
    expect(failure).toMatch(/^(59 min|1 h)$/);
    const events = await page.locator('section:has(#events) dl > div').allInnerTexts();
    const waits = events.filter((event) => event.includes('Waited'));
    expect(
      waits.filter((event) => event.includes('too little of the quota was left for its priority')).length,
    ).toBeGreaterThan(2);
    expect(waits.filter((event) => event.includes('the request before had failed'))).toHaveLength(1);
    expect(events.find((event) => event.includes('status 503'))).toBeDefined();
  });

  test.each([
    ['failed, and why', CRAWLS.failed, [/Failed\s+10 h/, 'the service does not have it', 'user-profile: status 404']],
    [
      'is missing of a crawl that ended early',
      CRAWLS.partial,
      ['Something is missing.', 'page limit', 'At most 2 pages'],
    ],
    ['is paused, why and until when', CRAWLS.paused, [/waiting for quota, resumes in \d+ min/, 'resumes by itself']],
    ['a crawl claims that the service does not end', CRAWLS.capped, ['Capped', 'More may exist.']],
  ] as const)('what %s', async (_, id, texts) => {
    const { text } = await open(`/crawls/${id}`, '.evidence');
    for (const one of texts) await expect.poll(() => text()).toMatch(one);
  });
});
