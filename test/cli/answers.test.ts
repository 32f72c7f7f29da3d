import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { AccountCoverage } from '#analysis/coverage/coverage-model.ts';
import { DAY } from '#base/clock.ts';
import type { AccountData } from '#dashboard/server/api/accounts.ts';
import { coverage, openStore } from '#index.ts';
import { NEW_CHECKPOINT } from '#service/kinds/checkpoint.ts';
import type { CrawlEnd } from '#service/kinds/decide-end.ts';
import {
  day,
  edges,
  INFERRED,
  MAX_PAGES,
  NO_TWEETS,
  ONE_PAGE,
  SERVED,
  storeOfAccount,
} from '../analysis/coverage/account-store.ts';
import { readJson, startTestDashboard } from '../dashboard/support.ts';
import { readPage, rowsOf } from '../report/read-page.ts';
import { newStore, progressOf } from '../store/support.ts';
import { runJson, runSuccessfully } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';

type Fill = (account: ReturnType<typeof storeOfAccount>) => Promise<unknown>;

const because = (reason: string): CrawlEnd => ({ state: 'partial', reason });
const tweets =
  (end?: CrawlEnd, kind?: string): Fill =>
  ({ timeline }) =>
    timeline(day(100), end, [90, 50, 1], kind);
const followers =
  (n: number, end: CrawlEnd, followersCount = n): Fill =>
  async ({ profile, crawl, restId }) => {
    const members = Array.from({ length: n }, (_, i) => `${1000 + i}`);
    await profile(day(99), 0, { followersCount });
    await crawl(day(100), 'followers', end, edges('followers', members, restId));
  };
const nothing: Fill = async () => undefined;

/** What every surface says of a list, by what happened to it: each list is of an account of its own. */
const STATES: Readonly<Record<string, readonly [kind: string, fill: Fill]>> = {
  'complete: 1 page, to the end of the list': ['timeline', tweets(SERVED)],
  'complete: the list has no tweets': [
    'timeline',
    ({ crawl, restId }) => crawl(day(100), 'timeline', NO_TWEETS, { progress: progressOf({ targetRestId: restId }) }),
  ],
  'gap: page limit (crawl': ['timeline', tweets(MAX_PAGES)],
  'gap: request budget (crawl': ['timeline', tweets(because('max_requests'))],
  'gap: the service said that its response is incomplete (crawl': ['timeline', tweets(because('incomplete_response'))],
  'gap: the cursor could not be read (crawl': ['timeline', tweets(because('cursor_unreadable'))],
  'gap: its crawl is unfinished (crawl': ['timeline', tweets()],
  'unknown: the end of the list was inferred': ['timeline', tweets(INFERRED)],
  'gap: the list is not in chronological order (crawl': [
    'timeline',
    async (account) => {
      await tweets(SERVED)(account);
      const checkpoint = { ...NEW_CHECKPOINT, scan: 'unordered' as const };
      const progress = progressOf({ targetRestId: account.restId, checkpoint });
      await account.crawl(day(110), 'timeline', MAX_PAGES, { progress });
    },
  ],
  'crawl replies id:': ['replies', nothing],
  'gap: the service shows one page only': ['replies', tweets(ONE_PAGE, 'replies')],
  'crawl following id:': ['following', nothing],
  '3 stored, 3 reported on 2025-04-10 (100 %)': ['followers', followers(3, SERVED)],
  '269 stored, 270 reported on 2025-04-10 (> 99 %)': ['followers', followers(269, SERVED, 270)],
  '3 stored, 2 reported on 2025-04-10 (more than counted)': ['followers', followers(3, SERVED, 2)],
  'incomplete as of 2025-04-11: page limit': ['followers', followers(2, MAX_PAGES, 9)],
  "incomplete as of 2025-04-11: the service's cursors form a cycle": [
    'followers',
    followers(2, because('cursor_cycle')),
  ],
  'incomplete as of 2025-04-11: the list is shorter than the count': [
    'followers',
    followers(2, { state: 'capped', reason: 'list_cut_short', ending: 'served' }, 9),
  ],
  'not available as of 2025-04-11: the list is empty': ['followers', followers(0, SERVED, 9)],
  'not available as of 2025-04-12: the service does not have the account': [
    'following',
    ({ crawl }) =>
      crawl(day(101), 'following', because('unavailable'), {
        progress: progressOf({ pages: 0 }),
        requests: [{ endpoint: 'following', at: day(101), status: 404, ms: 1, bytes: 2 }],
      }),
  ],
};

const toPeriod = ({ sentence, crawlId }: { sentence: string; crawlId: number | null }): string =>
  crawlId === null ? sentence : `${sentence} (crawl ${crawlId})`;

/** The rows of the periods of a list in a report: periods of less than two days have the time of the day. */
const toRows = (segments: AccountCoverage['orderedLists'][number]['segments']): string[][] =>
  segments.map(({ from, to, ...segment }) => {
    const length = to - from < 2 * DAY ? 16 : 10;
    const format = (at: number): string => new Date(at).toISOString().replace('T', ' ').slice(0, length);
    return [format(from), format(to), toPeriod(segment)];
  });

/** All that is said of a list, in one order. */
function toLines(document: Pick<AccountCoverage, 'orderedLists' | 'accountLists'>, wanted: string): string[] {
  const list = [...document.orderedLists, ...document.accountLists].find(({ kind }) => kind === wanted)!;
  const reasons = list.difference.map(({ text }) => text);
  const periods = 'segments' in list ? list.segments.map(toPeriod) : [];
  return [list.sentence, list.counted, ...(list.command === null ? [] : [list.command]), ...reasons, ...periods];
}

const unwrap = (text: string): string => text.replaceAll(/\s+/g, ' ');

test('command line, --json, dashboard, report and library say the same of a list', async () => {
  const store = newStore();
  const accounts = new Map<string, [said: string, kind: string][]>();
  const used = new Map<string, number>();
  for (const [said, [kind, fill]] of Object.entries(STATES)) {
    // The states of one kind are those of different accounts.
    const id = used.set(kind, (used.get(kind) ?? 0) + 1).get(kind)!;
    const account = storeOfAccount(store, String(id));
    if (!accounts.has(`id:${id}`)) await account.profile(day(90), 0);
    await fill(account);
    accounts.set(`id:${id}`, [...(accounts.get(`id:${id}`) ?? []), [said, kind]]);
  }
  const { path } = store;
  await using library = openStore(path);
  const { url } = await startTestDashboard(path);
  const file = tempFile('report.html');
  for (const [account, lists] of accounts) {
    const answer = await coverage({ store: library, account });
    const document = await runJson<AccountCoverage>(['coverage', account, '--db', path]);
    const { body } = await readJson<AccountData>(`${url}/api/accounts/${account}`);
    const terminal = unwrap((await runSuccessfully(['coverage', account, '--db', path])).stdout);
    await runSuccessfully(['report', 'account', account, '-o', file, '--db', path]);
    const shownPage = readPage(readFileSync(file, 'utf8'));
    const page = unwrap([...shownPage.sections.values()].join(' '));
    for (const { label, segments } of answer.orderedLists.filter((list) => list.segments.length > 0))
      expect(rowsOf(shownPage, `${label}: periods, oldest first`), account).toEqual(toRows(segments));
    for (const [said, kind] of lists) {
      const lines = toLines(answer, kind);
      expect(lines.join('\n')).toContain(said);
      expect(toLines(document, kind), said).toEqual(lines);
      const shown = body.lists.find((list) => list.kind === kind)!;
      const command = shown.command === null ? [] : [shown.command.replace(/^trawl /, '')];
      const periods = shown.periods.map(toPeriod).toReversed();
      expect([shown.sentence, shown.counted, ...command, ...shown.difference, ...periods], said).toEqual(lines);
      // A list that was not collected has its numbers in a table only, and so have tweets in a report.
      for (const line of command.length === 0 ? lines : [shown.sentence, ...command])
        expect(terminal.replaceAll(` --db ${path}`, ''), said).toContain(line);
      for (const line of lines.filter((each) => each !== shown.counted || kind === 'followers'))
        expect(page, said).toContain(line);
    }
  }
}, 240_000);
