import { readTargetsFromFile, readTargetsFromSql } from '../../analysis/targets.ts';
import { systemClock } from '../../clock.ts';
import { describeError, UsageError } from '../../errors.ts';
import { createCrawlSpec, type CrawlSpec } from '../../kinds/crawl-spec.ts';
import type { Priority } from '../../quota/priorities.ts';
import type { CrawlCommandOptions } from '../shared/crawl-options.ts';
import { pluralize } from '../terminal/format.ts';
import { printNote } from '../terminal/output.ts';
import { createTargetList } from './target-list.ts';

/** The crawls of a command line, each once, and the number of invalid targets, which are reported and skipped. */
export interface RequestedCrawls extends Disposable {
  readonly specs: Iterable<CrawlSpec> & { readonly size: number };
  readonly invalidTargets: number;
}

/** @throws UsageError if no target is valid. */
export function readRequestedCrawls(
  kind: string,
  targets: readonly string[],
  given: CrawlCommandOptions,
  priority: Priority,
): RequestedCrawls {
  const { db, fromFile, fromSql, since, fullRefresh: full, recheck, then: andThen } = given;
  const { maxPages, depth, maxTargets, thenMaxPages } = given;
  if (since !== undefined && since >= systemClock.now()) throw new UsageError('--since is in the future');
  function* listTargets(): Generator<string, void> {
    yield* targets;
    if (fromFile !== undefined) yield* readTargetsFromFile(fromFile);
    if (fromSql !== undefined) yield* readTargetsFromSql(db, fromSql);
  }
  const noVerify = recheck === false ? true : undefined;
  const options = { maxPages, since, full, noVerify, andThen, depth, maxTargets, thenMaxPages } as const;
  const found = createTargetList();
  const invalid: string[] = [];
  let first: UsageError | undefined;
  let shared: Pick<CrawlSpec, 'kind' | 'options' | 'priority'> | undefined;
  for (const target of listTargets()) {
    try {
      const spec = createCrawlSpec({ kind, target, options, priority });
      shared ??= { kind: spec.kind, options: spec.options, priority: spec.priority };
      found.add({ target: spec.target, handle: spec.handle ?? undefined });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      first ??= error;
      invalid.push(describeError(error));
    }
  }
  const specs = {
    size: found.size,
    *[Symbol.iterator]() {
      for (const target of found) yield { ...shared!, ...target };
    },
  };
  const crawls = { specs, invalidTargets: invalid.length, [Symbol.dispose]: found[Symbol.dispose] };
  if (specs.size > 0) {
    for (const fault of invalid) printNote(`skipped: ${fault}`);
    return crawls;
  }
  if (first === undefined) {
    if ((fromFile ?? fromSql) !== undefined) return crawls;
    throw new UsageError('no targets', { hint: 'Give targets, --from-file or --from-sql.' });
  }
  if (invalid.length === 1) throw first;
  throw new UsageError(`${pluralize(invalid.length, 'target')}, all invalid; the first: ${first.message}`, {
    hint: first.hint,
  });
}
