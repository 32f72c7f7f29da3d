import { type CountPair, readCountPair, type AccountCountColumn, computeScore } from '../../analysis/account-counts.ts';
import { readHolders, resolveHolder } from '../../analysis/handle-holders.ts';
import { findEmptyLists } from '../../analysis/quality/empty-lists.ts';
import { systemClock } from '../../clock.ts';
import { TrawlError } from '../../errors.ts';
import { ACCOUNT_KINDS } from '../../kinds/crawl-spec.ts';
import { parseAccount, parseTarget } from '../../kinds/target.ts';
import { readGaps, readIntervals } from '../../store/coverage/intervals.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { createStoreReads } from '../../store/store-reads.ts';
import { foldHandle } from '../../text.ts';
import { hint } from '../shared/command-hints.ts';
import { type CommonOptions } from '../shared/common-options.ts';
import { readStore } from '../shared/existing-store.ts';
import { describePreviousHolders, describeRenamedHandle } from '../targets/renamed-handles.ts';
import { formatCount, formatPercent } from '../terminal/format.ts';
import { print, printJson, printNote } from '../terminal/output.ts';
import { renderTable } from '../terminal/table.ts';
import { formatAgo, formatDay, toIso } from '../terminal/times.ts';
import { type ListCoverage, toCountsJson, toCoverageJson } from './coverage-json.ts';
import { drawAxis, AXIS_LEGEND, formatCoverageTable } from './coverage-report.ts';

const COUNTS: Readonly<Record<AccountCountColumn, string>> = {
  statusesCount: 'tweets',
  followersCount: 'followers',
  followingCount: 'following',
};

/** Prints the coverage of an account. @throws TrawlError if it is not in the store. */
export async function showCoverage(typed: string, { db: path, json }: CommonOptions): Promise<void> {
  const account = parseAccount(parseTarget('coverage', 'account', typed).target);
  const now = systemClock.now();
  const { user, ledger, empty, counts } = await readStore(path, (db) => {
    const read = createStoreReads(db);
    const found = read.userById('id' in account ? account.id : resolveAccountId(db, account.handle, typed));
    if (!found) throw unknownAccountError(typed);
    const pairs = (Object.keys(COUNTS) as AccountCountColumn[]).map(
      (what) => [what, readCountPair(db, found.restId, what)!] as const,
    );
    const lists = { kinds: ACCOUNT_KINDS, targets: [found.restId, `id:${found.restId}`] };
    const handle = found.screenName;
    const searched =
      handle === null ? [] : read.searchedWindows(`from:${foldHandle(handle)}`, read.handleSince(found.restId));
    const intervals = readIntervals(db, lists);
    const empty = findEmptyLists(db, found.restId).filter(({ kind }) => !intervals.some((each) => each.kind === kind));
    return { user: found, ledger: { intervals, gaps: readGaps(db, lists), searched }, empty, counts: pairs };
  });

  if (json) {
    return printJson({
      account: { restId: user.restId, screenName: user.screenName },
      ...toCoverageJson(ledger),
      emptyLists: empty.map(({ finishedAt, ...list }) => ({ ...list, finishedAt: toIso(finishedAt) })),
      counts: Object.fromEntries(counts.map(([what, pair]) => [COUNTS[what], toCountsJson(pair)])),
    });
  }
  const { intervals } = ledger;
  const isUnknown = intervals.length === 0 && empty.length === 0;
  const parts = [
    `${user.screenName ?? 'an account without a known handle'} (id ${user.restId})`,
    ...empty.map(({ kind, finishedAt }) => `${kind}: the account had no tweets on ${formatDay(finishedAt)}`),
    ...[...new Set(intervals.map(({ kind }) => kind))].map((kind) => renderList(kind, ledger)),
    ...(intervals.length > 0 ? [AXIS_LEGEND] : []),
    ...(isUnknown ? ['No chronological list of this account has been crawled: no interval is covered.'] : []),
    renderCounts(counts, now),
  ];
  print(parts.join('\n\n'));
}

/** The id of the account that a handle means. Prints a note if other accounts had the handle. */
function resolveAccountId(db: Db, name: string, typed: string): string {
  const handle = readHolders(db, name);
  const holder = resolveHolder(handle);
  const past = handle.previous.map(({ restId }) => `id:${restId}`);
  if (!holder && past.length === 0) throw unknownAccountError(typed);
  if (!holder) {
    throw new TrawlError(
      `no account has the handle ${name} now, and ${past.length} accounts had it: ${past.join(', ')}`,
      {
        hint: `${hint('coverage', past[0])} shows the last of them.`,
      },
    );
  }
  if (!handle.current) printNote(describeRenamedHandle(name, holder, undefined));
  else if (past.length > 0) printNote(describePreviousHolders(name, handle.previous));
  return holder.restId;
}

const unknownAccountError = (typed: string): TrawlError =>
  new TrawlError(`the store has no account ${typed}`, { hint: `${hint('crawl', `profile ${typed}`)} fetches it.` });

function renderList(kind: string, all: ListCoverage): string {
  const ledger = {
    searched: all.searched ?? [],
    intervals: all.intervals.filter((each) => each.kind === kind),
    gaps: all.gaps.filter((each) => each.kind === kind),
  };
  return [kind, drawAxis(ledger), formatCoverageTable(ledger)].join('\n');
}

function renderCounts(counts: readonly (readonly [AccountCountColumn, CountPair])[], now: number): string {
  const rows = counts.map(([what, { stored, reported, reportedAt }]) => [
    COUNTS[what],
    formatCount(stored),
    reported === null ? 'unknown' : formatCount(reported),
    formatPercent(computeScore({ stored, reported })),
    reportedAt === null ? '' : formatAgo(reportedAt, now),
  ]);
  return renderTable(['', 'stored', 'reported', '', 'as of'], rows, { right: [1, 2, 3] });
}
