import { quoteShellWord } from '../../base/text.ts';
import { isSoftLocked } from '../../crawl/queue/soft-locks.ts';
import { readDateWindow } from '../../crawl/search/window-crawl.ts';
import { decideResume } from '../../crawl/slice/resume.ts';
import { parseCrawlOptions } from '../../service/kinds/crawl-spec.ts';
import { getKind } from '../../service/kinds/kinds.ts';
import { formatTarget } from '../../service/kinds/target.ts';
import type { GapRow } from '../../store/coverage/intervals.ts';
import type { CrawlRow } from '../../store/schema/crawl-row.ts';
import { findRemedy } from './crawl-reasons.ts';
import { describeOptions, listFlags } from './describe-options.ts';

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
  /** The gaps of its list. */
  readonly gaps: readonly Pick<GapRow, 'reason'>[];
  /** Quotes a command of `trawl`. */
  readonly hint: (command: string) => string;
}

/** Suggests the next command for a crawl. */
export function suggestNextStep(crawl: CrawlRow, { now, renamedTarget, gaps, hint }: StepContext): string {
  const { id, reason } = crawl;
  if (crawl.finishedAt === null) {
    const stop = `${hint(`crawls cancel ${id}`)} cancels it.`;
    if (reason === 'unauthorized') return `Set TRAWL_API_KEY to a valid key; then ${hint('work')} resumes it.`;
    if (isSoftLocked(crawl, now)) return `A \`trawl crawl\` run is crawling it; ${stop}`;
    return `${hint('work')} ${reason === 'outage' ? 'resumes it after the outage' : 'runs it'}; ${stop}`;
  }
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
export function findNextCommand(crawl: CrawlRow): string | null {
  const { id, state, reason, finishedAt } = crawl;
  if (finishedAt === null) return reason === 'unauthorized' ? 'work' : null;
  if (state === 'complete' || state === 'capped' || reason === 'erased') return null;
  const remedy = findRemedy(reason);
  if (remedy) return 'command' in remedy ? remedy.command : null;
  return 'refused' in decideResume(crawl) ? formatCrawlArguments(crawl) : `crawls resume ${id}`;
}
