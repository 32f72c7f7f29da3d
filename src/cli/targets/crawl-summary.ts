import { summariseEnd, isSuccessState } from '../../kinds/end-states.ts';
import { getKind, type Kind } from '../../kinds/kinds.ts';
import type { CrawlRow } from '../../store/schema/crawl-row.ts';
import { hint } from '../shared/command-hints.ts';
import { EXIT } from '../shared/common-options.ts';
import { formatCount, pluralize } from '../terminal/format.ts';
import { renderTable } from '../terminal/table.ts';
import { toIso } from '../terminal/times.ts';
import { describeTarget } from './describe-crawl.ts';

/** A crawl for `--json`. Times are ISO 8601. */
export const toCrawlJson = (row: CrawlRow) => ({
  id: row.id,
  kind: row.kind,
  target: row.target,
  handle: row.handle,
  targetRestId: row.targetRestId,
  priority: row.priority,
  options: JSON.parse(row.options) as unknown,
  state: row.state,
  isComplete: summariseEnd(row).isComplete,
  reason: row.reason,
  ending: row.ending,
  error: row.error,
  pages: row.pages,
  items: row.items,
  newItems: row.newItems,
  rejectedItems: row.rejectedItems,
  requests: row.requests,
  unknownRequests: countUnrecordedRequests(row),
  parentId: row.parentId,
  createdAt: toIso(row.createdAt),
  startedAt: toIso(row.startedAt),
  updatedAt: toIso(row.updatedAt),
  resumeAt: toIso(row.resumeAt),
  finishedAt: toIso(row.finishedAt),
});

/** The maximum number of requests of a crawl that killed workers sent without a record. */
export const countUnrecordedRequests = ({ unknownRequests, inFlightRequests, finishedAt }: CrawlRow): number =>
  unknownRequests + (finishedAt === null ? 0 : inFlightRequests);

const REASONS: Readonly<Record<string, string>> = {
  no_tweets: 'the account has no tweets',
  seen_lately: 'its profile was fetched in the last minutes',
  saturated: 'the day has more tweets than the search shows',
  deleted: 'the service confirms that it is deleted',
  unavailable: 'the service does not have the account',
  list_closed: 'the list is empty, and no count of the account is 0: it may be closed',
  list_cut_short: 'the list is much shorter than the count of the account',
  max_pages: 'stopped at --max-pages: more exists',
  max_requests: 'the budget of the run is spent: more exists',
  budget: 'the daily budget is spent',
  rejected_items: 'items were rejected',
  cursor_repeated: 'the service returned the same cursor again',
  cursor_refused: 'the service refused the cursor, also after a restart from the top',
  cursor_cycle: "the service's cursors form a cycle",
  cursor_unreadable: 'the service sent an unreadable cursor: more may exist',
  cursor_ignored: 'the service ignored the cursor and sent the same page again',
  not_found: 'the service does not have it',
  unreachable: 'all attempts failed',
  outage: 'waiting for the end of an outage',
  disk: 'waiting for disk space',
  impossible: 'it cannot be requested',
  bug: 'a bug of trawl: please report it',
  contract_broken: 'the response does not match the interface',
  bad_request: 'the service refused the request',
  quota: 'waiting for quota',
  retry: 'retrying later',
  unauthorized: 'the service refused the key',
};

/** Commands with details of a reason. */
const REASON_COMMANDS: Readonly<Record<string, string>> = { rejected_items: 'rejects', cursor_unreadable: 'doctor' };

/** How a list ended, where that is not obvious from the state. */
const ENDINGS: Readonly<Record<string, string>> = {
  one_page: 'the service shows one page; more may exist',
  halved: 'searched again in parts',
  joined: 'older items are already stored',
  inferred: 'the end was inferred from empty pages; more may exist',
  joined_inferred: 'older items are already stored, down to an inferred end; more may exist',
};

/** Describes reason, ending and error of a crawl. */
export function describeCrawlReason(row: Pick<CrawlRow, 'reason' | 'ending' | 'error'>): string {
  const reason = row.reason === null ? '' : (REASONS[row.reason] ?? row.reason.replaceAll('_', ' '));
  const command = REASON_COMMANDS[row.reason ?? ''];
  const ending = row.reason === 'saturated' ? '' : (ENDINGS[row.ending ?? ''] ?? '');
  const see = command === undefined ? '' : `see ${hint(command)}`;
  return [reason, see, ending, row.error ?? ''].filter((part) => part !== '').join(': ');
}

/** With more named crawls than this, successful ones are summed up. */
const LISTED = 40;

/** Named crawls one by one; child crawls summed up by kind, state and reason. */
export function formatSummaryTable(rows: readonly CrawlRow[]): string {
  const lines = new Map<string, { row: CrawlRow; of: number; figures: number[] }>();
  const named = rows.filter(({ parentId }) => parentId === null).length;
  const isListed = ({ parentId, state }: CrawlRow): boolean =>
    parentId === null && (named <= LISTED || !isSuccessState({ state }));
  for (const row of rows) {
    const key = isListed(row)
      ? String(row.id)
      : `${row.kind} ${row.parentId === null} ${row.state} ${describeCrawlReason(row)}`;
    const figures = [row.pages, row.items, row.newItems, row.requests];
    const line = lines.get(key);
    lines.set(key, {
      row: line?.row ?? row,
      of: (line?.of ?? 0) + 1,
      figures: figures.map((figure, i) => figure + (line?.figures[i] ?? 0)),
    });
  }
  return renderTable(
    ['kind', 'target', 'state', 'pages', 'items', 'new', 'requests', 'reason'],
    [...lines.values()].map(({ row, of, figures }) => {
      const noun = row.parentId === null ? 'target' : nameChild(getKind(row.kind));
      const target = isListed(row) ? describeTarget(row) : pluralize(of, noun);
      return [row.kind, target, row.state, ...figures.map(formatCount), describeCrawlReason(row)];
    }),
    { right: [3, 4, 5, 6], width: Infinity },
  );
}

const nameChild = ({ supportedOptions, targetType }: Kind): string =>
  supportedOptions.includes('window') ? 'window' : targetType;

/** Whether a crawl is a success: complete, capped, or a child that stopped at --then-max-pages. */
const isSuccess = (row: CrawlRow, named: ReadonlySet<number>): boolean =>
  summariseEnd(row).exitCode === EXIT.complete ||
  (row.parentId !== null && !named.has(row.id) && row.reason === 'max_pages');

/** `3 crawls unfinished and kept: <command> them`. */
export const describeUnfinished = (unfinished: number, how: string): string =>
  `${pluralize(unfinished, 'crawl')} unfinished and kept: ${how} ${unfinished === 1 ? 'it' : 'them'}`;

/** The exit code of the worst crawl. @param named the ids of the named crawls. */
export function decideExitCode(rows: readonly CrawlRow[], named: readonly number[] = []): number {
  if (rows.some(({ state }) => state === 'failed')) return EXIT.failed;
  const all = new Set(named);
  return rows.every((row) => isSuccess(row, all)) ? EXIT.complete : EXIT.partial;
}
