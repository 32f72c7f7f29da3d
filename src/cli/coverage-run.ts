import { type CountPair, countPair, type ReportedCount } from '../analysis/account-counts.ts';
import { coveredIntervals } from '../analysis/covered-intervals.ts';
import { systemClock } from '../clock.ts';
import { accountOf, canonicalTarget } from '../crawl/target.ts';
import { TrawlError } from '../errors.ts';
import { createReads } from '../store/reads.ts';
import { print } from './common.ts';
import { intervalJson } from './coverage-json.ts';
import { bottomInWords } from './crawls-explain.ts';
import { ago, moment } from './crawls-words.ts';
import { readStore } from './existing-store.ts';
import { count } from './format.ts';
import { iso } from './summary.ts';
import { renderTable } from './table.ts';

export interface CoverageWords {
  readonly db: string;
  readonly json?: true;
}

const COUNTS: Readonly<Record<ReportedCount, string>> = {
  statusesCount: 'tweets',
  followersCount: 'followers',
  followingCount: 'following',
};

/** Prints what is stored of an account without a gap. @throws TrawlError when the store does not know it. */
export async function showCoverage(typed: string, { db: path, json }: CoverageWords): Promise<void> {
  const account = accountOf(canonicalTarget('coverage', 'account', typed));
  const now = systemClock.now();
  const { user, intervals, counts } = await readStore(path, (db) => {
    const read = createReads(db);
    const found = 'id' in account ? read.userById(account.id) : read.userByHandle(account.handle);
    if (!found) {
      throw new TrawlError(`the store knows no account ${typed}`, {
        hint: `\`trawl crawl profile ${typed}\` asks for it.`,
      });
    }
    const pairs = (Object.keys(COUNTS) as ReportedCount[]).map(
      (what) => [what, countPair(db, found.restId, what)!] as const,
    );
    return { user: found, intervals: coveredIntervals(db, [found.restId, `id:${found.restId}`]), counts: pairs };
  });

  if (json) {
    const document = {
      account: { id: user.restId, screenName: user.screenName },
      intervals: intervals.map(intervalJson),
      counts: Object.fromEntries(
        counts.map(([what, pair]) => [COUNTS[what], { ...pair, reportedAt: iso(pair.reportedAt) }]),
      ),
    };
    return print(JSON.stringify(document, null, 2));
  }
  print(`${user.screenName ?? 'an account without a known handle'} (id ${user.restId})\n`);
  if (intervals.length === 0) {
    print('No list of it in order of time was walked yet, so no interval is covered.');
  } else {
    const rows = intervals.map(({ kind, oldestAt, newestAt, pages, items, bottom, crawlId }) => [
      kind,
      oldestAt === null ? '?' : moment(oldestAt),
      newestAt === null ? '?' : moment(newestAt),
      count(pages),
      count(items),
      String(crawlId),
      bottomInWords(bottom),
    ]);
    print(renderTable(['kind', 'from', 'to', 'pages', 'items', 'crawl', ''], rows, { right: [3, 4, 5] }));
  }
  print(`\n${countTable(counts, now)}`);
}

function countTable(counts: readonly (readonly [ReportedCount, CountPair])[], now: number): string {
  const rows = counts.map(([what, { stored, reported, reportedAt }]) => [
    COUNTS[what],
    count(stored),
    reported === null ? 'unknown' : count(reported),
    reportedAt === null ? '' : ago(reportedAt, now),
  ]);
  return renderTable(['', 'stored', 'reported', 'as of'], rows, { right: [1, 2] });
}
