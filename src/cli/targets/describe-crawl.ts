import { findRemedy } from '../../analysis/crawls/crawl-reasons.ts';
import { describeOptions, listFlags } from '../../analysis/crawls/describe-options.ts';
import { quoteShellWord } from '../../base/text.ts';
import { isSoftLocked } from '../../crawl/queue/soft-locks.ts';
import { readDateWindow } from '../../crawl/search/window-crawl.ts';
import { decideResume } from '../../crawl/slice/resume.ts';
import { parseCrawlOptions } from '../../service/kinds/crawl-spec.ts';
import { getKind } from '../../service/kinds/kinds.ts';
import { formatTarget } from '../../service/kinds/target.ts';
import type { GapRow } from '../../store/coverage/intervals.ts';
import type { CrawlRow } from '../../store/schema/crawl-row.ts';
import { formatCommand, hint } from '../terminal/print.ts';
import type { RenamedHandle } from './renamed-handles.ts';

/** The target, with the window of a search of a backfill. */
export const describeTarget = (crawl: CrawlRow): string =>
  readDateWindow(parseCrawlOptions(crawl)) ? `${formatTarget(crawl)}, ${describeOptions(crawl)}` : formatTarget(crawl);

/** The command for the same crawl; with the account's id if its handle was renamed. */
export function buildCommand(crawl: CrawlRow, renamed?: RenamedHandle): string {
  const named = crawl.target.startsWith('id:') ? crawl.target : formatTarget(crawl);
  const target = quoteShellWord(renamed?.target ?? named);
  const flags = listFlags(crawl);
  // A target that looks like an option comes after `--`.
  const args = /^'?-/.test(target) ? [...flags, '--', target] : [target, ...flags];
  const command = readDateWindow(parseCrawlOptions(crawl)) ? 'backfill' : 'crawl';
  return formatCommand(command, [crawl.kind, ...args].join(' '));
}

/** `followers of nasa`, `search for #moon`, `tweet 12`. */
export function describeCrawl(crawl: CrawlRow): string {
  const { kind } = crawl;
  const target = formatTarget(crawl);
  const { targetType } = getKind(kind);
  if (targetType === 'query') return `${kind} for ${target}`;
  return targetType === 'account' ? `${kind} of ${target}` : `${kind} ${target}`;
}

/** What `resume` does with the limit that a crawl stopped at. */
const LIMITS: Readonly<Record<string, string>> = {
  max_pages: ', without the limit, or with --max-pages n for n more pages',
  max_requests: ', without a budget, or with --max-requests n for n more requests',
};

/** Where a resumed crawl continues. */
export const describeResumePoint = ({ cursor, pages }: CrawlRow): string =>
  cursor === null ? 'restarts at the first page' : `continues after page ${pages}`;

/** Reasons of gaps that the next crawl of the list closes. */
const CLOSABLE: readonly string[] = [
  'interrupted',
  'out_of_order',
  'cursor_refused',
  'cursor_unreadable',
  'max_requests',
];

/** Suggests the next command for a crawl. @param context its renamed handle, and the gaps of its list. */
export function suggestNextStep(
  crawl: CrawlRow,
  now: number,
  { renamed, gaps }: { readonly renamed: RenamedHandle | undefined; readonly gaps: readonly Pick<GapRow, 'reason'>[] },
): string {
  const { id, finishedAt, reason, targetRestId: targetId } = crawl;
  if (finishedAt !== null) {
    const command = `\`${buildCommand(crawl, renamed)}\``;
    const decision = decideResume(crawl);
    if ('refused' in decision && readDateWindow(parseCrawlOptions(crawl)))
      return `${command} searches the missing parts again.`;
    const isOfUsers = getKind(crawl.kind).edgeSide !== undefined;
    if (isOfUsers && (reason === 'list_cut_short' || reason === 'list_closed')) {
      const decides = reason === 'list_cut_short' ? `; ${hint('recheck follows')} decides which accounts left it` : '';
      return `${command} crawls the list again, and compares it with the account's count of then${decides}.`;
    }
    const fills = gaps.some(({ reason }) => CLOSABLE.includes(reason)) ? ', and closes the gap' : '';
    if ('refused' in decision) return `${command} crawls it again, from its first page${fills}.`;
    if (targetId === null && renamed) return `${command} crawls it by its id.`;
    const remedy = findRemedy(reason);
    if (remedy && 'sentence' in remedy) return remedy.sentence;
    const limit = LIMITS[reason ?? ''] ?? '';
    return `${hint('crawls resume', `${id}`)} ${describeResumePoint(crawl)}${limit}.`;
  }
  const stop = `${hint('crawls cancel', `${id}`)} cancels it.`;
  if (reason === 'unauthorized') return `Set TRAWL_API_KEY to a valid key; then ${hint('work')} resumes it.`;
  if (isSoftLocked(crawl, now)) return `A \`trawl crawl\` run is crawling it; ${stop}`;
  if (reason === 'outage') return `${hint('work')} resumes it after the outage; ${stop}`;
  return `${hint('work')} runs it; ${stop}`;
}
