import { UsageError } from '../errors.ts';
import type { CrawlClass, CrawlRow, CrawlSpec } from '../store/schema/messages.ts';
import { type CrawlOptions, isKind, KIND_NAMES, type KindName, kindTable } from './kinds.ts';
import { parseTarget } from './target.ts';

/** Kinds that may follow in a snowball: whatever is asked of an account. */
export const ACCOUNT_KINDS = KIND_NAMES.filter((name) => kindTable[name].targetType === 'account');

/**
 * What people type, as the identity of a crawl: the kind, the target in its one canonical form, the options in theirs.
 * @throws UsageError that says what would be right.
 */
export function createCrawlSpec(request: {
  kind: string;
  target: string;
  options?: CrawlOptions;
  class: CrawlClass;
}): CrawlSpec {
  const { kind, options = {} } = request;
  if (!isKind(kind)) throw unknownKind(kind, KIND_NAMES);
  checkLimits(kind, options);
  checkSnowball(options);
  const { target, handle } = parseTarget(kind, kindTable[kind].targetType, request.target);
  return { kind, target, handle, options: formatOptions(options), class: request.class };
}

const unknownKind = (kind: string, known: readonly string[]): UsageError =>
  new UsageError(`unknown kind "${kind}"`, { hint: `Kinds: ${known.join(', ')}.` });

function checkLimits(kind: KindName, options: CrawlOptions): void {
  for (const [limit, flag] of [
    ['maxPages', '--max-pages'],
    ['since', '--since'],
    ['full', '--full'],
    ['noVerify', '--no-verify'],
  ] as const) {
    if (options[limit] === undefined || kindTable[kind].supportedOptions.includes(limit)) continue;
    const able = KIND_NAMES.filter((name) => kindTable[name].supportedOptions.includes(limit));
    throw new UsageError(`${flag} does not apply to ${kind}`, { hint: `It applies to: ${able.join(', ')}.` });
  }
}

function checkSnowball({ andThen, depth, maxTargets, thenMaxPages }: CrawlOptions): void {
  if (andThen) {
    for (const kind of andThen)
      if (!isKind(kind) || !ACCOUNT_KINDS.includes(kind)) throw unknownKind(kind, ACCOUNT_KINDS);
  } else if ((depth ?? maxTargets ?? thenMaxPages) !== undefined) {
    throw new UsageError('--depth, --max-targets and --then-max-pages need --then', {
      hint: `Say what to crawl next, such as --then profile. Kinds: ${ACCOUNT_KINDS.join(', ')}.`,
    });
  }
}

/** Equal options give equal text, whatever the order they came in. A depth of 1 is the default, and left out. */
export function formatOptions({ andThen, depth, ...rest }: CrawlOptions): string {
  const kinds = andThen && [...new Set(andThen)].toSorted();
  const set = Object.entries({ ...rest, andThen: kinds, depth: depth === 1 ? undefined : depth }).filter(
    ([, value]) => value !== undefined,
  );
  return JSON.stringify(Object.fromEntries(set.toSorted(([a], [b]) => (a < b ? -1 : 1))));
}

export const parseCrawlOptions = (crawl: Pick<CrawlRow, 'options'>): CrawlOptions =>
  JSON.parse(crawl.options) as CrawlOptions;

/**
 * The crawls that a page of a snowball gives rise to: of every kind asked for, for every account that it leads to. They
 * are of their parent's class. Where generations are left, those that lead on carry the snowball further.
 */
export function createChildSpecs(crawl: CrawlRow, options: CrawlOptions, accounts: readonly string[]): CrawlSpec[] {
  const { andThen = [], depth = 1, maxTargets, thenMaxPages } = options;
  return accounts.flatMap((id) =>
    (andThen as KindName[]).map((kind) => {
      const { supportedOptions, discoversAccounts } = kindTable[kind];
      const limit = supportedOptions.includes('maxPages') ? { maxPages: thenMaxPages } : {};
      const further = discoversAccounts && depth > 1 ? { andThen, depth: depth - 1, maxTargets, thenMaxPages } : {};
      return createCrawlSpec({
        kind,
        target: `id:${id}`,
        options: { ...limit, ...further },
        class: crawl.class,
      });
    }),
  );
}
