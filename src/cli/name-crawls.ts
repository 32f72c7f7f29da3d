import { targetsFromFile, targetsFromSql } from '../analysis/targets.ts';
import { systemClock } from '../clock.ts';
import { crawlSpec } from '../crawl/spec.ts';
import { describe, UsageError } from '../errors.ts';
import type { CrawlClass, CrawlSpec } from '../store/messages.ts';
import { tell } from './common.ts';
import type { CrawlWords } from './crawl-words.ts';
import { plural } from './format.ts';

/** The crawls that are meant, and how many targets were none: each of those has been told, and stops none of the others. */
export interface NamedCrawls {
  readonly specs: readonly CrawlSpec[];
  readonly faults: number;
}

/** @throws UsageError when nothing that was named can be crawled. */
export function nameCrawls(kind: string, targets: readonly string[], words: CrawlWords, as: CrawlClass): NamedCrawls {
  const {
    db,
    fromFile,
    fromSql,
    maxPages,
    since,
    full,
    verify,
    then: andThen,
    depth,
    maxTargets,
    thenMaxPages,
  } = words;
  if (since !== undefined && since >= systemClock.now()) throw new UsageError('--since is in the future');
  const all = [
    ...targets,
    ...(fromFile === undefined ? [] : targetsFromFile(fromFile)),
    ...(fromSql === undefined ? [] : targetsFromSql(db, fromSql)),
  ];
  const options = {
    maxPages,
    since,
    full,
    noVerify: verify === false ? (true as const) : undefined,
    andThen,
    depth,
    maxTargets,
    thenMaxPages,
  };
  const specs: CrawlSpec[] = [];
  const faults: UsageError[] = [];
  for (const target of all) {
    try {
      specs.push(crawlSpec({ kind, target, options, class: as }));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      faults.push(error);
    }
  }
  if (specs.length > 0) {
    for (const fault of faults) tell(`left out: ${describe(fault)}`);
    return { specs, faults: faults.length };
  }
  if (faults.length === 0 && (fromFile ?? fromSql) !== undefined) return { specs, faults: 0 };
  if (faults.length <= 1)
    throw faults[0] ?? new UsageError('no target is named', { hint: 'Give targets, --from-file or --from-sql.' });
  throw new UsageError(`none of ${plural(faults.length, 'target')} can be crawled; the first: ${faults[0]!.message}`, {
    hint: faults[0]!.hint,
  });
}
