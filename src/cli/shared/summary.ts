import { type KindName, kindTable } from '../../kinds/kinds.ts';
import { endFacts, isDone } from '../../store/evidence/end-states.ts';
import type { CrawlRow } from '../../store/schema/messages.ts';
import { describeTarget } from '../targets/describe-crawl.ts';
import { formatCount, pluralize } from '../terminal/format.ts';
import { renderTable } from '../terminal/table.ts';
import { toIso } from '../terminal/times.ts';
import { addDatabaseOption } from './command-hints.ts';
import { EXIT } from './common-options.ts';

/** What a run came to: a table for people, a document for programs, an exit code for both. */

/** A crawl in the documents that `--json` prints. Times are ISO 8601. */
export const toCrawlJson = (row: CrawlRow) => ({
  id: row.id,
  kind: row.kind,
  target: row.target,
  handle: row.handle,
  targetId: row.targetId,
  class: row.class,
  options: JSON.parse(row.options) as unknown,
  state: row.state,
  isComplete: endFacts(row).isComplete,
  reason: row.reason,
  ending: row.ending,
  error: row.error,
  pages: row.pages,
  items: row.items,
  newItems: row.newItems,
  rejected: row.rejected,
  requests: row.requests,
  unknownRequests: countUnrecordedRequests(row),
  parentId: row.parentId,
  createdAt: toIso(row.createdAt),
  startedAt: toIso(row.startedAt),
  updatedAt: toIso(row.updatedAt),
  resumeAt: toIso(row.resumeAt),
  finishedAt: toIso(row.finishedAt),
});

/** The most requests that killed workers may have sent for a crawl and not recorded. */
export const countUnrecordedRequests = ({ unknownRequests, inFlight, finishedAt }: CrawlRow): number =>
  unknownRequests + (finishedAt === null ? 0 : inFlight);

const WORDS: Readonly<Record<string, string>> = {
  no_tweets: 'the account has no tweets',
  seen_lately: 'its profile was seen minutes ago',
  saturated: 'the day hides more than one page of a search shows',
  deleted: 'the service says that it is gone',
  list_closed: 'it shows nobody, and no count of the account says that nobody is there: it may be closed',
  list_cut_short: 'it shows far fewer than the account counts',
  max_pages: 'stopped at --max-pages: there is more',
  max_requests: 'its run had sent as many requests as it may: there is more',
  budget: 'its budget of the day is spent',
  rejected_items: 'some items could not be stored: see `trawl rejects`',
  cursor_repeated: 'the service returned the same cursor again',
  cursor_refused: 'the service refused its cursor, also from the top again',
  cursor_cycle: "the service's cursors go round in a circle",
  cursor_unreadable: 'the service sent a cursor that cannot be read: there may be more; see `trawl doctor`',
  cursor_ignored: 'the service ignored the cursor and sent the same page again',
  not_found: 'the service does not know it',
  unreachable: 'gave up trying',
  outage: 'waiting for the service to work again',
  disk: 'waiting for room on the disk',
  impossible: 'it cannot be asked for',
  bug: 'a mistake of trawl: please report it',
  contract_broken: 'the answer is not what the interface says',
  bad_request: 'the service refused the request',
  quota: 'waiting for quota',
  retry: 'trying again later',
  unauthorized: 'the key was refused',
};

/** What is worth knowing of how a list ended. */
const ENDINGS: Readonly<Record<string, string>> = {
  one_page: 'one page is all that the service shows, and more may exist',
  halved: 'asked again in parts',
  joined: 'what is older was known already',
  inferred: 'the end was inferred from empty pages, and more may exist',
  joined_inferred: 'what is older was known down to an end that was inferred, and more may exist',
};

/** The reason in words, with the error where there is one. */
export function describeReason(row: Pick<CrawlRow, 'reason' | 'ending' | 'error'>): string {
  const words = row.reason === null ? '' : addDatabaseOption(WORDS[row.reason] ?? row.reason.replaceAll('_', ' '));
  const ending = row.reason === 'saturated' ? '' : (ENDINGS[row.ending ?? ''] ?? '');
  return [words, ending, row.error ?? ''].filter((part) => part !== '').join(': ');
}

/** Of more named crawls than this, those that are as asked are told together. */
const LISTED = 40;

/** The named crawls one by one; what came of them together, by kind and by how it went. */
export function formatSummaryTable(rows: readonly CrawlRow[]): string {
  const lines = new Map<
    string,
    { row: CrawlRow; of: number; pages: number; items: number; newItems: number; requests: number }
  >();
  const named = rows.filter(({ parentId }) => parentId === null).length;
  const isListed = ({ parentId, state }: CrawlRow): boolean =>
    parentId === null && (named <= LISTED || !isDone({ state }));
  for (const row of rows) {
    const key = isListed(row)
      ? String(row.id)
      : `${row.kind} ${row.parentId === null} ${row.state} ${describeReason(row)}`;
    const line = lines.get(key) ?? { row, of: 0, pages: 0, items: 0, newItems: 0, requests: 0 };
    line.of++;
    for (const figure of ['pages', 'items', 'newItems', 'requests'] as const) line[figure] += row[figure];
    lines.set(key, line);
  }
  return renderTable(
    ['kind', 'target', 'state', 'pages', 'items', 'new', 'requests', 'reason'],
    [...lines.values()].map(({ row, of, pages, items, newItems, requests }) => [
      row.kind,
      isListed(row)
        ? describeTarget(row)
        : pluralize(
            of,
            row.parentId === null
              ? 'target'
              : row.kind === 'search'
                ? 'window'
                : kindTable[row.kind as KindName].targetType,
          ),
      row.state,
      ...[pages, items, newItems, requests].map(formatCount),
      describeReason(row),
    ]),
    // The reasons are what it is read for.
    { right: [3, 4, 5, 6], whole: true },
  );
}

/** A child that stopped at the limit which the user set for children did what was asked, if nobody named it himself. */
const isAsAsked = (row: CrawlRow, named: ReadonlySet<number>): boolean =>
  endFacts(row).exitCode === EXIT.complete ||
  (row.parentId !== null && !named.has(row.id) && row.reason === 'max_pages');

/** What is left when a run was stopped, and how it goes on. */
export const describeUnfinished = (unfinished: number, how: string): string =>
  `${pluralize(unfinished, 'crawl')} unfinished and kept: ${how} on with ${unfinished === 1 ? 'it' : 'them'}`;

/** The worst of the crawls and their children decides. @param named what the user named. */
export function decideExitCode(rows: readonly CrawlRow[], named: readonly number[] = []): number {
  if (rows.some(({ state }) => state === 'failed')) return EXIT.failed;
  const all = new Set(named);
  return rows.every((row) => isAsAsked(row, all)) ? EXIT.complete : EXIT.partial;
}
