import type { DroppedFieldGroup } from '../../analysis/quality/dropped-fields.ts';
import type { CrawlRow } from '../../store/schema/messages.ts';
import { print, printNote } from '../shared/common-options.ts';
import { describeDroppedFields } from '../shared/dropped-fields-report.ts';
import { readStore } from '../shared/existing-store.ts';
import { toCrawlJson, describeUnfinished, formatSummaryTable } from '../shared/summary.ts';
import { describeHandle } from '../targets/renamed-handles.ts';
import { pluralize, formatDuration } from '../terminal/format.ts';

/** What a command says of the crawls that it has run. */

/** What it came to beside them, where they served a purpose of their own. */
export interface CommandOutcome {
  readonly lines: readonly string[];
  readonly fields: object;
  /** Something of what is wanted is missing still, however well the crawls of this run ended. */
  readonly isPartial: boolean;
}

interface ReportOptions {
  readonly json?: boolean | undefined;
  readonly ms: number;
  readonly db: string;
  readonly outcome: CommandOutcome | undefined;
  /** What of the items could not be read. */
  readonly dropped: readonly DroppedFieldGroup[];
}

/** Prints how the crawls of a run ended: a table, or one JSON document. */
export function printCrawlReport(rows: readonly CrawlRow[], { json, ms, db, outcome, dropped }: ReportOptions): void {
  if (json) {
    const document = {
      crawls: rows.map(toCrawlJson),
      unfinished: countUnfinished(rows),
      droppedFields: dropped.map(droppedJson),
      ms,
      db,
    };
    print(JSON.stringify({ ...document, ...outcome?.fields }, null, 2));
  } else {
    print(formatSummaryTable(rows));
    if (dropped.length > 0) print(`\n${describeDroppedFields(dropped)}`);
    if (outcome && outcome.lines.length > 0) print(`\n${outcome.lines.join('\n')}`);
    print(`\n${pluralize(rows.length, 'crawl')} in ${formatDuration(ms)}, stored in ${db}`);
  }
}

export const countUnfinished = (rows: readonly CrawlRow[]): number =>
  rows.filter(({ finishedAt }) => finishedAt === null).length;

const droppedJson = ({ endpoint, field, reason, values, sample }: DroppedFieldGroup) => ({
  ...{ endpoint, field, reason, values, sample },
});

/** So many crawls are named. */
const NAMED = 5;

/** How to learn more of named crawls that ended otherwise than complete. */
export function printNextStep(rows: readonly CrawlRow[]): void {
  const ids = rows
    .filter(({ parentId, state }) => parentId === null && ['partial', 'failed'].includes(state))
    .map(({ id }) => id);
  if (ids.length === 0) return;
  const command = ids.length <= NAMED ? `trawl crawls show ${ids.join(' ')}` : 'trawl crawls --state partial failed';
  printNote(`\`${command}\` tells more, and what to do`);
}

/** What the handles of the named crawls are worth telling: one that was renamed or taken over leads to somebody else. */
export async function printHandleNotes(rows: readonly CrawlRow[], path: string): Promise<void> {
  const named = rows.filter(({ parentId }) => parentId === null).slice(0, NAMED);
  const words = await readStore(path, (db) => named.map((crawl) => describeHandle(db, crawl)));
  for (const one of new Set(words)) if (one !== undefined) printNote(one);
}

/** How many are not done, and how they go on. */
export function printUnfinished(rows: readonly CrawlRow[]): void {
  if (countUnfinished(rows) > 0)
    printNote(describeUnfinished(countUnfinished(rows), 'the same command, or `trawl work`, goes'));
}
