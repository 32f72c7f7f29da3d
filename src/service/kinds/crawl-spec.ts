import { UsageError } from '#base/errors.ts';
import type { Priority } from '#service/quota/priorities.ts';
import { type CrawlOptions, getKind, isKind, KIND_NAMES, type KindName, kindTable } from './kinds.ts';
import { parseAccount, parseTarget } from './target.ts';

/** A requested crawl. Kind, target and options are its identity: an equal request joins an unfinished crawl. */
export interface CrawlSpec {
  readonly kind: string;
  readonly target: string;
  /** The handle as it was typed: sent where the store does not have the spelling of the service. No part of the identity. */
  readonly handle?: string | null | undefined;
  /** Canonical JSON, so that equal options are equal text. */
  readonly options: string;
  readonly priority: Priority;
  /** The planned requests, child crawls included. No part of the identity. */
  readonly plan?: Estimate | undefined;
  /** The run that it belongs to. */
  readonly runId?: number | null | undefined;
  /** The run whose limit of accounts it shares, if that is another one; null keeps the limit as it is. */
  readonly targetLimitRunId?: number | null | undefined;
}

/** An unknown number of requests or items: a range and its expected value; null where nothing is known. */
export interface Estimate {
  readonly min: number;
  readonly expected: number | null;
  readonly max: number | null;
}

/** Kinds of child crawls that a snowball may have: those with an account as their target. */
export const ACCOUNT_KINDS = KIND_NAMES.filter((name) => kindTable[name].targetType === 'account');

/** Returns kinds as a list of SQL, without parentheses. */
export const formatKinds = (kinds: readonly KindName[]): string => kinds.map((kind) => `'${kind}'`).join(', ');

/** Returns the id of the account that a crawl was requested by; null for other crawls. */
export function readRequestedId({ kind, target }: Pick<CrawlSpec, 'kind' | 'target'>): string | null {
  if (getKind(kind).targetType !== 'account') return null;
  const account = parseAccount(target);
  return 'id' in account ? account.id : null;
}

/**
 * The identity of a crawl from typed arguments: kind, canonical target and canonical options.
 * @throws UsageError with a hint.
 */
export function createCrawlSpec(request: {
  kind: string;
  target: string;
  /** The handle of an account whose target is its id. */
  handle?: string | undefined;
  options?: CrawlOptions;
  priority: Priority;
}): CrawlSpec {
  const { kind, options = {} } = request;
  if (!isKind(kind)) throw unknownKind(kind, KIND_NAMES);
  checkLimits(kind, options);
  checkSnowball(options);
  const { target, handle = request.handle } = parseTarget(kind, kindTable[kind].targetType, request.target);
  return { kind, target, handle, options: formatOptions(options), priority: request.priority };
}

const unknownKind = (kind: string, known: readonly string[]): UsageError =>
  new UsageError(`unknown kind "${kind}"`, { hint: `Kinds: ${known.join(', ')}.` });

function checkLimits(kind: KindName, options: CrawlOptions): void {
  for (const [limit, flag] of [
    ['maxPages', '--max-pages'],
    ['since', '--since'],
    ['fullRefresh', '--full-refresh'],
    ['recheck', '--no-recheck'],
  ] as const) {
    if (options[limit] === undefined || kindTable[kind].supportedOptions.includes(limit)) continue;
    const able = KIND_NAMES.filter((name) => kindTable[name].supportedOptions.includes(limit));
    throw new UsageError(`${flag} does not apply to ${kind}`, { hint: `It applies to: ${able.join(', ')}.` });
  }
}

function checkSnowball({ then, depth, maxTargets, thenMaxPages }: CrawlOptions): void {
  if (then) {
    for (const kind of then) if (!isKind(kind) || !ACCOUNT_KINDS.includes(kind)) throw unknownKind(kind, ACCOUNT_KINDS);
  } else if ((depth ?? maxTargets ?? thenMaxPages) !== undefined) {
    throw new UsageError('--depth, --max-targets and --then-max-pages need --then', {
      hint: `Say what to crawl next, such as --then profile. Kinds: ${ACCOUNT_KINDS.join(', ')}.`,
    });
  }
}

/** Equal options give equal text, in any order. A depth of 1 is the default and is left out. */
export function formatOptions({ then, depth, ...rest }: CrawlOptions): string {
  const kinds = then && [...new Set(then)].toSorted();
  const set = Object.entries({ ...rest, then: kinds, depth: depth === 1 ? undefined : depth }).filter(
    ([, value]) => value !== undefined,
  );
  return JSON.stringify(Object.fromEntries(set.toSorted(([a], [b]) => (a < b ? -1 : 1))));
}

/** A tweet is read at an age only until it is this many times as old: later values are not those of the age. */
export const LATEST_READING = 1.5;

/** The options of a crawl that re-checks one tweet or account. */
export const RECHECK_OPTIONS = formatOptions({ isRecheck: true });

/** A crawl that re-checks a tweet, an account by its id, or whom it follows. */
export const createRecheckSpec = (kind: 'tweet' | 'profile' | 'following', target: string): CrawlSpec => ({
  kind,
  target,
  options: RECHECK_OPTIONS,
  priority: 'backfill',
});

/** A crawl that re-checks the tweets of an account by one of its lists, down to the time `since`. */
export const createListRecheckSpec = (
  kind: KindName,
  restId: string,
  { since, maxPages }: Pick<CrawlOptions, 'since' | 'maxPages'>,
): CrawlSpec => ({
  kind,
  target: `id:${restId}`,
  priority: 'backfill',
  options: formatOptions({
    fullRefresh: true,
    isRecheck: true,
    since,
    maxPages,
  }),
});

export const parseCrawlOptions = (crawl: Pick<CrawlSpec, 'options'>): CrawlOptions =>
  JSON.parse(crawl.options) as CrawlOptions;

/**
 * The child crawls of a page: one per kind and discovered account, with the priority of their parent. Children that
 * discover accounts continue the snowball while its depth allows.
 */
export function createChildSpecs(
  crawl: Pick<CrawlSpec, 'priority'>,
  options: CrawlOptions,
  accounts: readonly string[],
): CrawlSpec[] {
  const { then = [], depth = 1, maxTargets, thenMaxPages } = options;
  return accounts.flatMap((id) =>
    then.map((kind) => {
      const { supportedOptions, discoversAccounts } = getKind(kind);
      const limit = supportedOptions.includes('maxPages') ? { maxPages: thenMaxPages } : {};
      const further = discoversAccounts && depth > 1 ? { then, depth: depth - 1, maxTargets, thenMaxPages } : {};
      return createCrawlSpec({
        kind,
        target: `id:${id}`,
        options: { ...limit, ...further },
        priority: crawl.priority,
      });
    }),
  );
}
