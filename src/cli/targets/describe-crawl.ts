import { decideResume } from '../../engine/resume.ts';
import { readDateWindow } from '../../engine/search/window-crawl.ts';
import { parseCrawlOptions } from '../../kinds/crawl-spec.ts';
import type { CrawlOptions } from '../../kinds/kinds.ts';
import { formatTarget } from '../../kinds/target.ts';
import { isSoftLocked } from '../../queue/soft-locks.ts';
import type { GapRow } from '../../store/coverage/intervals.ts';
import type { CrawlRow } from '../../store/schema/messages.ts';
import { addDatabaseOption, quoteShellWord } from '../shared/command-hints.ts';
import { pluralize } from '../terminal/format.ts';
import { formatMoment } from '../terminal/times.ts';
import type { RenamedHandle } from './renamed-handles.ts';

/** Crawls in words: what was asked for, how to ask again, and what to do next. */

type Given = { readonly [K in keyof CrawlOptions]-?: NonNullable<CrawlOptions[K]> };

/** Every option as it is told and as it is typed. */
const OPTIONS: {
  readonly [K in keyof Given]: readonly [
    told: (value: Given[K]) => string,
    flag: string,
    typed: (value: Given[K]) => string,
  ];
} = {
  maxPages: [(n) => `at most ${pluralize(n, 'page')}`, '--max-pages', String],
  since: [(at) => `down to ${formatMoment(at)}`, '--since', formatMoment],
  from: [(at) => `from ${formatMoment(at)}`, '--since', formatMoment],
  to: [(at) => `up to ${formatMoment(at)}`, '--until', formatMoment],
  exact: [() => 'without the day before', '', () => ''],
  full: [() => 'the whole list, also what is known', '--full', () => ''],
  noVerify: [() => 'without asking after what is missing', '--no-verify', () => ''],
  verify: [() => 'to see whether it is gone', '', () => ''],
  andThen: [(kinds) => `then ${kinds.join(' and ')} of every account found`, '--then', (kinds) => kinds.join()],
  depth: [(n) => pluralize(n, 'generation'), '--depth', String],
  maxTargets: [(n) => `at most ${pluralize(n, 'account')}`, '--max-targets', String],
  thenMaxPages: [(n) => `at most ${pluralize(n, 'page')} of each`, '--then-max-pages', String],
};

/** The options that were given, in the order of the table. */
const given = (crawl: CrawlRow): [keyof Given, never][] => {
  const options = parseCrawlOptions(crawl);
  return (Object.keys(OPTIONS) as (keyof Given)[])
    .filter((name) => options[name] !== undefined)
    .map((name) => [name, options[name] as never]);
};

/** `at most 2 pages, down to 2025-01-01`; empty when nothing was limited. */
export const describeOptions = (crawl: CrawlRow): string =>
  given(crawl)
    .map(([name, value]) => OPTIONS[name][0](value))
    .join(', ');

/** A search of a window of days with its window, which tells it from others of the same backfill. */
export const describeTarget = (crawl: CrawlRow): string =>
  readDateWindow(parseCrawlOptions(crawl)) ? `${formatTarget(crawl)}, ${describeOptions(crawl)}` : formatTarget(crawl);

/** The command that asks for the same crawl; of the account's id where its handle has moved. */
export function buildCommand(crawl: CrawlRow, moved?: RenamedHandle): string {
  const named = crawl.target.startsWith('id:') ? crawl.target : formatTarget(crawl);
  const target = quoteShellWord(moved?.target ?? named);
  const flags = given(crawl)
    .map(([name, value]) => `${OPTIONS[name][1]} ${OPTIONS[name][2](value)}`.trim())
    .filter((flag) => flag !== '');
  // What looks like an option comes after the mark that ends them.
  const words = /^'?-/.test(target) ? [...flags, '--', target] : [target, ...flags];
  return [readDateWindow(parseCrawlOptions(crawl)) ? 'trawl backfill' : 'trawl crawl', crawl.kind, ...words].join(' ');
}

/** `followers of nasa`, `search for #moon`, `tweet 12`. */
export function describeCrawl(crawl: CrawlRow): string {
  const { kind } = crawl;
  const target = formatTarget(crawl);
  if (kind === 'search') return `search for ${target}`;
  return ['tweet', 'community', 'list'].includes(kind) ? `${kind} ${target}` : `${kind} of ${target}`;
}

/** What becomes of the limit that a crawl stopped at. */
const LIMITS: Readonly<Record<string, string>> = {
  max_pages: ', without its limit; with --max-pages n it takes n pages more',
  max_requests: ', without its budget; with --max-requests n it sends n requests more',
};

/** Where a crawl that is resumed goes on. */
export const describeResumePoint = ({ cursor, pages }: CrawlRow): string =>
  cursor === null ? 'starts at its first page' : `goes on after page ${pages}`;

/** Gaps that are walked through when the list is crawled again, by why they are there. */
const PASSABLE: readonly string[] = [
  'interrupted',
  'out_of_order',
  'cursor_refused',
  'cursor_unreadable',
  'max_requests',
];

/** What the next step depends on besides the crawl. */
interface Around {
  /** Set where its handle does not lead to its account any more. */
  readonly moved: RenamedHandle | undefined;
  /** What is not known of its list. */
  readonly gaps: readonly Pick<GapRow, 'reason'>[];
}

/** What a person can do about a crawl now. */
export const suggestNextStep = (crawl: CrawlRow, now: number, around: Around): string =>
  addDatabaseOption(stepAfter(crawl, now, around));

function stepAfter(crawl: CrawlRow, now: number, { moved, gaps }: Around): string {
  const { id, finishedAt, reason, targetId } = crawl;
  if (finishedAt !== null) {
    const again = decideResume(crawl);
    if ('refused' in again && readDateWindow(parseCrawlOptions(crawl)))
      return `\`${buildCommand(crawl, moved)}\` asks again for what of it was not seen.`;
    if (reason === 'list_cut_short' || reason === 'list_closed') {
      const profile = buildCommand({ ...crawl, kind: 'profile', options: '{}' }, moved);
      return `\`${profile}\` asks for the account's count again; then \`${buildCommand(crawl, moved)}\` crawls the list again.`;
    }
    const fills = gaps.some(({ reason }) => PASSABLE.includes(reason)) ? ', and walks through the gap' : '';
    if ('refused' in again) return `\`${buildCommand(crawl, moved)}\` crawls it again, from its first page${fills}.`;
    if (targetId === null && moved) return `\`${buildCommand(crawl, moved)}\` crawls it by its id.`;
    if (reason === 'not_found') return `Check the target; \`trawl crawls resume ${id}\` asks once more.`;
    const limit = LIMITS[reason ?? ''] ?? '';
    return `\`trawl crawls resume ${id}\` ${describeResumePoint(crawl)}${limit}.`;
  }
  const stop = `\`trawl crawls cancel ${id}\` ends it.`;
  if (reason === 'unauthorized') return `Set TRAWL_API_KEY to a key that works; then \`trawl work\` goes on with it.`;
  if (isSoftLocked(crawl, now)) return `A \`trawl crawl\` run works on it; ${stop}`;
  if (reason === 'outage') return `\`trawl work\` goes on with it when the service works again; ${stop}`;
  return `\`trawl work\` works on it; ${stop}`;
}
