import { readTargetsFromPanel, readTargetsFromSql } from '#analysis/crawl-targets.ts';
import { systemClock } from '#base/clock.ts';
import { describeError, UsageError } from '#base/errors.ts';
import { ACCOUNT_KINDS, createCrawlSpec, type CrawlSpec } from '#service/kinds/crawl-spec.ts';
import { isKind, kindTable } from '#service/kinds/kinds.ts';
import type { Priority } from '#service/quota/priorities.ts';
import {
  describeForgottenTargets,
  FORGOTTEN_HINT,
  openForgottenTargets,
} from '#store/erasure/incoming/forgotten-targets.ts';

/** The options that define crawls. Times are milliseconds UTC. */
export interface CrawlRequestOptions {
  /** The targets of a file. */
  readonly fileTargets?: Iterable<string> | undefined;
  /** A query on the store with targets in its first column. */
  readonly fromSql?: string | undefined;
  /** A panel whose members are targets, by id. */
  readonly panel?: string | undefined;
  readonly maxPages?: number | undefined;
  readonly since?: number | undefined;
  readonly fullRefresh?: true | undefined;
  readonly recheck?: boolean | undefined;
  readonly then?: readonly string[] | undefined;
  readonly depth?: number | undefined;
  readonly maxTargets?: number | undefined;
  readonly thenMaxPages?: number | undefined;
}

/** Requested crawls, each once, and the numbers of invalid and of forgotten targets, which are reported and skipped. */
export interface RequestedCrawls {
  readonly specs: Iterable<CrawlSpec> & { readonly size: number };
  readonly invalidTargets: number;
  readonly forgottenTargets: number;
}

interface CrawlRequest {
  readonly kind: string;
  readonly targets: readonly string[];
  readonly priority: Priority;
  /** The store's file. */
  readonly db: string;
}

/**
 * Reads the crawls of a request. Calls `onSkipped` with the error of each skipped target.
 *
 * @throws UsageError if no target is valid.
 */
export function readRequestedCrawls(
  request: CrawlRequest,
  given: CrawlRequestOptions,
  onSkipped: (fault: string) => void,
): RequestedCrawls {
  const { since, panel, fileTargets, fromSql } = given;
  if (since !== undefined && since >= systemClock.now()) throw new UsageError('--since is in the future');
  if (panel !== undefined) requireAccountKind(request.kind);
  const { invalid, ...crawls } = sortTargets(request, given);
  const { specs, forgottenTargets } = crawls;
  if (specs.size + forgottenTargets > 0) {
    for (const fault of invalid) onSkipped(describeError(fault));
    if (forgottenTargets > 0) onSkipped(`${describeForgottenTargets(forgottenTargets)}. ${FORGOTTEN_HINT}`);
    return crawls;
  }
  const [first] = invalid;
  if (first === undefined) {
    if ((fileTargets ?? fromSql) !== undefined) return crawls;
    throw new UsageError('no targets', { hint: 'Give targets, --from-file, --from-sql or --panel.' });
  }
  if (invalid.length === 1) throw first;
  throw new UsageError(`${invalid.length} targets, all invalid; the first: ${first.message}`, { hint: first.hint });
}

function* listTargets(
  { targets, db }: CrawlRequest,
  { fileTargets, fromSql, panel }: CrawlRequestOptions,
): Generator<{ readonly target: string; readonly handle?: string | undefined }, void> {
  for (const target of targets) yield { target };
  for (const target of fileTargets ?? []) yield { target };
  if (fromSql !== undefined) for (const target of readTargetsFromSql(db, fromSql)) yield { target };
  if (panel !== undefined) yield* readTargetsFromPanel(db, panel);
}

/** Separates the targets that are crawled from the others. */
function sortTargets(request: CrawlRequest, given: CrawlRequestOptions) {
  const { kind, priority, db } = request;
  const { recheck, maxPages, since, fullRefresh, then, depth, maxTargets, thenMaxPages } = given;
  const limits = { maxPages, since, fullRefresh, then, depth, maxTargets, thenMaxPages };
  const options = { ...limits, ...(recheck === false && { recheck }) };
  const found = new Map<string, string | undefined>();
  const invalid: UsageError[] = [];
  let forgottenTargets = 0;
  let shared: Pick<CrawlSpec, 'kind' | 'options' | 'priority'> | undefined;
  using store = openForgottenTargets(db);
  for (const { target, handle } of listTargets(request, given)) {
    try {
      const spec = createCrawlSpec({ kind, target, handle, options, priority });
      if (store.isForgotten(spec)) forgottenTargets += 1;
      else {
        shared ??= { kind: spec.kind, options: spec.options, priority: spec.priority };
        found.set(spec.target, spec.handle ?? undefined);
      }
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      invalid.push(error);
    }
  }
  const specs = {
    size: found.size,
    *[Symbol.iterator]() {
      for (const [target, handle] of found) yield { ...shared!, target, handle };
    },
  };
  return { specs, invalid, invalidTargets: invalid.length, forgottenTargets };
}

/** @throws UsageError if the targets of a kind are no accounts. An unknown kind is reported with its targets. */
function requireAccountKind(kind: string): void {
  if (!isKind(kind) || kindTable[kind].targetType === 'account') return;
  throw new UsageError(`--panel does not apply to ${kind}: a panel consists of accounts`, {
    hint: `It applies to: ${ACCOUNT_KINDS.join(', ')}.`,
  });
}
