import type { DroppedValues } from '../../analysis/quality/dropped-fields.ts';
import type { CrawlRow } from '../../store/schema/messages.ts';
import { print, tell } from '../shared/common-options.ts';
import { droppedInWords } from '../shared/dropped-fields-report.ts';
import { readStore } from '../shared/existing-store.ts';
import { crawlJson, keptLine, summaryTable } from '../shared/summary.ts';
import { handleInWords } from '../targets/renamed-handles.ts';
import { plural, span } from '../terminal/format.ts';

/** What a command says of the crawls that it has run. */

/** What it came to beside them, where they served a purpose of their own. */
export interface Outcome {
  readonly lines: readonly string[];
  readonly fields: object;
  /** Something of what is wanted is missing still, however well the crawls of this run ended. */
  readonly isPartial: boolean;
}

interface ReportOptions {
  readonly json?: boolean | undefined;
  readonly ms: number;
  readonly db: string;
  readonly outcome: Outcome | undefined;
  /** What of the items could not be read. */
  readonly dropped: readonly DroppedValues[];
}

/** Prints how the crawls of a run ended: a table, or one JSON document. */
export function report(rows: readonly CrawlRow[], { json, ms, db, outcome, dropped }: ReportOptions): void {
  if (json) {
    const document = {
      crawls: rows.map(crawlJson),
      unfinished: unfinished(rows),
      droppedFields: dropped.map(droppedJson),
      ms,
      db,
    };
    print(JSON.stringify({ ...document, ...outcome?.fields }, null, 2));
  } else {
    print(summaryTable(rows));
    if (dropped.length > 0) print(`\n${droppedInWords(dropped)}`);
    if (outcome && outcome.lines.length > 0) print(`\n${outcome.lines.join('\n')}`);
    print(`\n${plural(rows.length, 'crawl')} in ${span(ms)}, stored in ${db}`);
  }
}

export const unfinished = (rows: readonly CrawlRow[]): number =>
  rows.filter(({ finishedAt }) => finishedAt === null).length;

const droppedJson = ({ endpoint, field, reason, values, sample }: DroppedValues) => ({
  ...{ endpoint, field, reason, values, sample },
});

/** So many crawls are named. */
const NAMED = 5;

/** How to learn more of named crawls that ended otherwise than complete. */
export function tellWhatNext(rows: readonly CrawlRow[]): void {
  const ids = rows
    .filter(({ parentId, state }) => parentId === null && ['partial', 'failed'].includes(state))
    .map(({ id }) => id);
  if (ids.length === 0) return;
  const command = ids.length <= NAMED ? `trawl crawls show ${ids.join(' ')}` : 'trawl crawls --state partial failed';
  tell(`\`${command}\` tells more, and what to do`);
}

/** What the handles of the named crawls are worth telling: one that was renamed or taken over leads to somebody else. */
export async function tellOfHandles(rows: readonly CrawlRow[], path: string): Promise<void> {
  const named = rows.filter(({ parentId }) => parentId === null).slice(0, NAMED);
  const words = await readStore(path, (db) => named.map((crawl) => handleInWords(db, crawl)));
  for (const one of new Set(words)) if (one !== undefined) tell(one);
}

/** How many are not done, and how they go on. */
export function tellKept(rows: readonly CrawlRow[]): void {
  if (unfinished(rows) > 0) tell(keptLine(unfinished(rows), 'the same command, or `trawl work`, goes'));
}
