import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ReportSidecar } from '#files/report/write-report.ts';
import { day, SERVED, storeOfAccount } from '../analysis/coverage/account-store.ts';
import { addRows, crawlRow } from '../dashboard/store-rows.ts';
import { progressOf, rows, tweet, user } from '../store/support.ts';
import { runSuccessfully } from '../support/cli.ts';
import { readPage, rowsOf } from './read-page.ts';

/** Reports about long times with little data: their charts have as many periods as their axes, not as their data. */

const DAY = 86_400_000;
const TODAY = 151;
const NOW = day(TODAY);

/** Creates a store with a complete timeline: tweets on days, counted back from the crawl. Returns its file. */
async function createTimeline(days: readonly number[]): Promise<string> {
  const { store, profile, timeline } = storeOfAccount();
  const marks = days.map((n) => TODAY - n).toSorted((a, b) => b - a);
  await profile(NOW, null, { createdAt: day(marks.at(-1)! - 1) });
  await timeline(NOW, SERVED, marks);
  return store.path;
}

/** Writes a report. Returns its page, and the answers behind it. */
async function report(db: string, subject: string, target: string) {
  const file = `${db}.${subject}.html`;
  await runSuccessfully(['report', subject, target, '-o', file, '--db', db]);
  const html = readFileSync(file, 'utf8');
  const { data } = JSON.parse(readFileSync(`${file}.meta.json`, 'utf8')) as ReportSidecar & {
    data: { answers: { name: string; parameters: { period?: string }; rows: unknown[][] }[] };
  };
  return { html, answers: new Map(data.answers.map((answer) => [answer.name, answer])) };
}

describe('the periods of a chart follow its whole axis', () => {
  test.each([
    ['a burst of tweets two years ago', [728, 729, 730], 'week'],
    ['one tweet three years ago', [1000], 'month'],
    ['one tweet half a year ago', [180], 'week'],
    ['a burst three months ago', [90, 91], 'day'],
    ['tweets twenty years ago', [7300, 7301], 'month'],
  ])('%s, and none since', async (_, days, period) => {
    const { html, answers } = await report(await createTimeline(days), 'account', 'star1');
    for (const name of ['tweets-per-period', 'engagement'])
      expect(answers.get(name)!.parameters.period, name).toBe(period);
    expect(answers.get('tweets-per-period')!.rows.length).toBeLessThan(260);
    expect(html).toContain('<strong>Tweets over time</strong>');
    expect(html).not.toContain('No chart');
  });

  test('a timeline that is read for years, of an account that was seen once', async () => {
    const db = await createTimeline([5]);
    const reads = [0, 1, 2].map((year) =>
      crawlRow({
        id: 100 + year,
        kind: 'timeline',
        target: 'id:1',
        target_rest_id: '1',
        state: 'capped',
        pages: 1,
        created_at: NOW + year * 365 * DAY,
        started_at: NOW + year * 365 * DAY,
      }),
    );
    const at = NOW + 700 * DAY;
    addRows(db, {
      crawls: reads,
      _deletion_evidence: [{ tweet_id: 1, suspected_at: at, confirmed_at: at, crawl_id: 101 }],
    });
    const { html, answers } = await report(db, 'account', 'star1');
    expect(answers.get('deletions-and-edits')!.parameters.period).not.toBe('day');
    expect(html).toContain('<strong>Deleted and edited tweets</strong>');
    expect(html).not.toContain('No chart');
  });

  test('a search of ten years that found the tweets of one day', async () => {
    const { store, crawl } = storeOfAccount();
    await crawl(NOW, 'search', SERVED, {
      target: 'comet',
      rows: rows({
        users: [user('1', { detailLevel: 'reference', screenName: 'star' })],
        tweets: [tweet('t1', { authorRestId: '1', createdAt: NOW - 3 * DAY })],
        tweetLists: [{ kind: 'search', target: 'comet', tweets: ['t1'] }],
      }),
      progress: progressOf({ items: 1 }),
    });
    addRows(store.path, {
      _search_windows: [{ query: 'comet', from_at: NOW - 3650 * DAY, to_at: NOW, searched_at: NOW, crawl_id: 1 }],
    });
    const { html, answers } = await report(store.path, 'search', 'comet');
    expect(answers.get('search-hits-per-period')!.parameters.period).toBe('month');
    expect(html).not.toContain('No chart');
  });
});

test('a chart that cannot be drawn becomes a table that says why', async () => {
  // 55 years are more months than a telephone has pixels.
  const { html } = await report(await createTimeline([20_000, 1]), 'account', 'star1');
  expect(html).toMatch(/<p class="note">No chart: there are \d+ bins for \d+ pixels\.<\/p>/);
  const figures = rowsOf(readPage(html), 'Tweets over time: the figures');
  expect(figures.length).toBe(500);
  expect(figures[0]!.slice(1, 3)).toEqual(['original', '1']);
  expect(html).toContain('rows; the sidecar has all.');
});
