import type { CrawlAnswer } from '#analysis/status/status-model.ts';
import { quoteShellWord, pluralize } from '#base/text.ts';
import { formatMoment } from '#base/units.ts';
import { isSoftLocked } from '#crawl/queue/soft-locks.ts';
import { readDateWindow } from '#crawl/search/window-crawl.ts';
import { decideResume } from '#crawl/slice/resume.ts';
import { parseCrawlOptions, type CrawlSpec } from '#service/kinds/crawl-spec.ts';
import { summariseEnd } from '#service/kinds/decide-end.ts';
import { getKind, type CrawlOptions } from '#service/kinds/kinds.ts';
import { formatTarget } from '#service/kinds/target.ts';
import type { GapRow } from '#store/coverage/intervals.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import { findRemedy, explainState } from './end-reasons.ts';

const isWindowSearch = (crawl: Pick<CrawlRow, 'options'>): boolean =>
  readDateWindow(parseCrawlOptions(crawl)) !== undefined;

/** The target, with the window of a search of a backfill. */
export const describeTarget = (crawl: Pick<CrawlRow, 'target' | 'handle' | 'options'>): string =>
  isWindowSearch(crawl) ? `${formatTarget(crawl)}, ${describeOptions(crawl)}` : formatTarget(crawl);

/** Returns the arguments of `trawl` for the same crawl. @param renamedTarget the account's id if its handle was renamed */
export function formatCrawlArguments(crawl: CrawlRow, renamedTarget?: string): string {
  const named = crawl.target.startsWith('id:') ? crawl.target : formatTarget(crawl);
  const target = quoteShellWord(renamedTarget ?? named);
  const flags = listFlags(crawl);
  // A target that looks like an option comes after `--`.
  const args = /^'?-/.test(target) ? [...flags, '--', target] : [target, ...flags];
  return [isWindowSearch(crawl) ? 'backfill' : 'crawl', crawl.kind, ...args].join(' ');
}

/** `followers of nasa`, `search for #moon`, `tweet 12`. */
export function describeCrawl(crawl: Pick<CrawlRow, 'kind' | 'target' | 'handle'>): string {
  const { kind } = crawl;
  const target = formatTarget(crawl);
  const { targetType } = getKind(kind);
  if (targetType === 'query') return `${kind} for ${target}`;
  return targetType === 'account' ? `${kind} of ${target}` : `${kind} ${target}`;
}

/** Ends whose last page is requested again: it was incomplete, or a cursor led back to it. */
const REPEATED_PAGE: readonly (string | null)[] = ['incomplete_response', 'cursor_ignored', 'cursor_repeated'];

/** Says how many items of forgotten accounts crawls left out; undefined if none. */
export function describeErasedItems(crawls: readonly Pick<CrawlRow, 'erasedItems'>[]): string | undefined {
  const count = crawls.reduce((sum, { erasedItems }) => sum + erasedItems, 0);
  return count === 0 ? undefined : `Left out: ${pluralize(count, 'item')} of forgotten accounts.`;
}

/** Describes the first page of a resumed crawl. */
export function describeResumePoint({ cursor, pages, reason }: CrawlRow): string {
  if (cursor === null) return 'restarts at the first page';
  return REPEATED_PAGE.includes(reason) ? `continues from page ${pages}` : `continues after page ${pages}`;
}

/** What `resume` does with the limit that a crawl stopped at. */
const LIMITS: Readonly<Record<string, string>> = {
  max_pages: ', without the limit, or with --max-pages n for n more pages',
  max_requests: ', without a budget, or with --max-requests n for n more requests',
};

/** Reasons of gaps that the next crawl of the list closes. */
const CLOSABLE: readonly string[] = [
  'interrupted',
  'out_of_order',
  'cursor_refused',
  'cursor_unreadable',
  'max_requests',
];

/** What decides on the next step of a crawl. */
interface StepContext {
  readonly now: number;
  /** The account's id as a target, if its handle was renamed. */
  readonly renamedTarget: string | undefined;
  /** Whether a later crawl repeats it, or has stored its whole list. */
  readonly isReplaced: boolean;
  /** The gaps of its list. */
  readonly gaps: readonly Pick<GapRow, 'reason'>[];
  /** Quotes a command of `trawl`. */
  readonly hint: (command: string) => string;
}

/** Suggests the next command for a crawl. */
export function suggestNextStep(crawl: CrawlRow, { now, renamedTarget, isReplaced, gaps, hint }: StepContext): string {
  const { id, state, reason } = crawl;
  if (crawl.finishedAt === null) {
    const stop = `${hint(`crawls cancel ${id}`)} cancels it.`;
    if (reason === 'unauthorized') return `Set TRAWL_API_KEY to a valid key; then ${hint('work')} resumes it.`;
    if (isSoftLocked(crawl, now)) return `A \`trawl crawl\` run is crawling it; ${stop}`;
    return `${hint('work')} ${reason === 'outage' ? 'resumes it after the outage' : 'runs it'}; ${stop}`;
  }
  if (isReplaced && (state === 'partial' || state === 'failed'))
    return 'A later crawl repeats it, or has read the whole list: it needs nothing.';
  const command = hint(formatCrawlArguments(crawl, renamedTarget));
  const isRefused = 'refused' in decideResume(crawl);
  if (isRefused && isWindowSearch(crawl)) return `${command} searches the missing parts again.`;
  const isOfUsers = getKind(crawl.kind).edgeSide !== undefined;
  if (isOfUsers && (reason === 'list_cut_short' || reason === 'list_closed')) {
    const decides = reason === 'list_cut_short' ? `; ${hint('recheck follows')} decides which accounts left it` : '';
    return `${command} crawls the list again, and compares it with the account's count at that time${decides}.`;
  }
  const fills = gaps.some((gap) => CLOSABLE.includes(gap.reason)) ? ', and closes the gap' : '';
  const remedy = findRemedy(reason);
  const details = remedy && 'command' in remedy ? `; ${hint(remedy.command)} has details` : '';
  if (isRefused) return `${command} crawls it again, from its first page${fills}${details}.`;
  if (crawl.targetRestId === null && renamedTarget !== undefined) return `${command} crawls it by its id.`;
  if (remedy && 'sentence' in remedy) return remedy.sentence;
  return `${hint(`crawls resume ${id}`)} ${describeResumePoint(crawl)}${LIMITS[reason ?? ''] ?? ''}${details}.`;
}

/** Returns the arguments of `trawl` that collect what an ended crawl lacks; null if there is nothing to do. */
function findNextCommand(crawl: CrawlRow): string | null {
  const { id, state, reason, finishedAt } = crawl;
  if (finishedAt === null) return reason === 'unauthorized' ? 'work' : null;
  if (state === 'complete' || state === 'capped' || reason === 'erased') return null;
  const remedy = findRemedy(reason);
  if (remedy) return 'command' in remedy ? remedy.command : null;
  return 'refused' in decideResume(crawl) ? formatCrawlArguments(crawl) : `crawls resume ${id}`;
}

/** Returns what is said of a crawl. */
export function answerCrawl(row: CrawlRow): CrawlAnswer {
  const why = explainState(row);
  return {
    state: row.state,
    label: describeCrawl(row),
    sentence: why === '' ? row.state : `${row.state}: ${why}`,
    command: findNextCommand(row),
    id: row.id,
    kind: row.kind,
    target: row.target,
    handle: row.handle,
    targetRestId: row.targetRestId,
    priority: row.priority,
    options: JSON.parse(row.options) as object,
    isComplete: summariseEnd(row).isComplete,
    reason: row.reason,
    ending: row.ending,
    why,
    error: row.error,
    pages: row.pages,
    items: row.items,
    newItems: row.newItems,
    rejectedItems: row.rejectedItems,
    requests: row.requests,
    unknownRequests: countUnrecordedRequests(row),
    parentId: row.parentId,
    createdAt: row.createdAt,
    startedAt: row.startedAt,
    updatedAt: row.updatedAt,
    resumeAt: row.resumeAt,
    finishedAt: row.finishedAt,
  };
}

/** The maximum number of requests of a crawl that killed workers sent without a record. */
export const countUnrecordedRequests = ({ unknownRequests, inFlightRequests, finishedAt }: CrawlRow): number =>
  unknownRequests + (finishedAt === null ? 0 : inFlightRequests);

/** The reason, the ending and the error of a crawl, for a cell of a table. */
export const formatReason = (row: CrawlRow): string =>
  [explainState(row), row.error ?? ''].filter((part) => part !== '').join(': ');

type Given = { readonly [K in keyof CrawlOptions]-?: NonNullable<CrawlOptions[K]> };

/** Every option as text and as typed. */
const OPTIONS: {
  readonly [K in keyof Given]: readonly [
    describe: (value: Given[K]) => string,
    flag: string,
    typed: (value: Given[K]) => string,
  ];
} = {
  maxPages: [(n) => `at most ${pluralize(n, 'page')}`, '--max-pages', String],
  since: [(at) => `down to ${formatMoment(at)}`, '--since', formatMoment],
  from: [(at) => `from ${formatMoment(at)}`, '--since', formatMoment],
  to: [(at) => `up to ${formatMoment(at)}`, '--until', formatMoment],
  exact: [() => 'without the day before', '', () => ''],
  fullRefresh: [() => 'the whole list again', '--full-refresh', () => ''],
  recheck: [() => 'without a re-check of missing tweets', '--no-recheck', () => ''],
  isRecheck: [() => 'to check for deletion', '', () => ''],
  then: [(kinds) => `then ${kinds.join(' and ')} of each discovered account`, '--then', (kinds) => kinds.join()],
  depth: [(n) => pluralize(n, 'generation'), '--depth', String],
  maxTargets: [(n) => `at most ${pluralize(n, 'account')}`, '--max-targets', String],
  thenMaxPages: [(n) => `at most ${pluralize(n, 'page')} per child crawl`, '--then-max-pages', String],
};

const listOptions = (crawl: Pick<CrawlSpec, 'options'>): [keyof Given, never][] => {
  const options = parseCrawlOptions(crawl);
  return (Object.keys(OPTIONS) as (keyof Given)[])
    .filter((name) => options[name] !== undefined)
    .map((name) => [name, options[name] as never]);
};

/** `at most 2 pages, down to 2025-01-01`; empty without options. */
export const describeOptions = (crawl: Pick<CrawlSpec, 'options'>): string =>
  listOptions(crawl)
    .map(([name, value]) => OPTIONS[name][0](value))
    .join(', ');

/** The options as they are typed: `--max-pages 2`. */
const listFlags = (crawl: Pick<CrawlSpec, 'options'>): string[] =>
  listOptions(crawl)
    .map(([name, value]) => `${OPTIONS[name][1]} ${OPTIONS[name][2](value)}`.trim())
    .filter((flag) => flag !== '');
