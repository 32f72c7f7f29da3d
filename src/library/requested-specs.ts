import type { CrawlPriority } from '#analysis/status/status-model.ts';
import { UsageError } from '#base/errors.ts';
import { toOptionNames } from '#base/text.ts';
import type { CrawlSpec } from '#service/kinds/crawl-spec.ts';
import { readRequestedCrawls } from './run/requested-crawls.ts';
import type { CrawlDefinition } from './types.ts';

/** Returns the crawls of a request, each once. @throws UsageError if there is no target, or an argument is invalid. */
export function readRequestedSpecs(definition: CrawlDefinition, priority: CrawlPriority = 'interactive'): CrawlSpec[] {
  const { kind, targets, into, since, fullRefresh } = definition;
  if (targets.length === 0) throw new UsageError('no targets: nothing to crawl');
  const invalid: string[] = [];
  const requested = withOptionNames(() =>
    readRequestedCrawls(
      { kind, targets, priority, db: into.path },
      { ...definition, since: since?.getTime(), fullRefresh: fullRefresh ? true : undefined },
      (fault) => invalid.push(fault),
    ),
  );
  if (requested.forgottenTargets > 0) throw new UsageError(invalid.at(-1)!);
  if (invalid.length > 0) throw new UsageError(`${invalid.length} of ${targets.length} targets: ${invalid[0]}`);
  return [...requested.specs];
}

/** Calls `read`. Its UsageErrors name the options as in the library. */
function withOptionNames<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(toOptionNames(error.message), { hint: error.hint && toOptionNames(error.hint) });
  }
}
