import { answerCrawl, describeCrawl, describeErasedItems } from '#analysis/crawls/describe-crawl.ts';
import type { DroppedFieldGroup } from '#analysis/quality/dropped-fields.ts';
import { countFollowCandidates } from '#analysis/recheck/follow-candidates.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { describeDroppedFields } from '#cli/shared/dropped-fields-report.ts';
import { readStore } from '#cli/shared/existing-store.ts';
import { describeUnfinished, formatSummaryTable } from '#cli/targets/crawl-summary.ts';
import { describeHandle } from '#cli/targets/renamed-handles.ts';
import { hint, pluralize, pronounOf, formatDuration, print, printJson, printNote } from '#cli/terminal/print.ts';
import { countUnfinished } from '#library/run/follow-crawls.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import type { Db } from '#store/sqlite/database.ts';

/** The result of a command whose crawls serve a larger purpose, such as a backfill. */
export interface CommandOutcome {
  readonly lines: readonly string[];
  readonly fields: object;
  /** Whether a part is still missing, even if all crawls of this run are complete. */
  readonly isPartial: boolean;
  /** The exit code, if that of the crawls does not say whether the purpose is reached. */
  readonly exitCode?: number;
}

interface ReportOptions extends CommonOptions {
  readonly ms: number;
  readonly outcome: CommandOutcome | undefined;
  /** Unreadable fields of the items. */
  readonly dropped: readonly DroppedFieldGroup[];
}

/** Prints the result of a run as a table or as one JSON document. */
export function printCrawlReport(rows: readonly CrawlRow[], { json, ms, db, outcome, dropped }: ReportOptions): void {
  if (json) {
    printJson({
      crawls: rows.map(answerCrawl),
      unfinished: countUnfinished(rows),
      droppedFields: dropped.map(({ firstAt: _firstAt, lastAt: _lastAt, crawlId: _crawlId, ...group }) => group),
      durationMs: ms,
      db,
      ...outcome?.fields,
    });
  } else {
    print(formatSummaryTable(rows));
    const erased = describeErasedItems(rows);
    if (erased !== undefined) print(`\n${erased}`);
    if (dropped.length > 0) print(`\n${describeDroppedFields(dropped)}`);
    if (outcome && outcome.lines.length > 0) print(`\n${outcome.lines.join('\n')}`);
    print(`\n${pluralize(rows.length, 'crawl')} in ${formatDuration(ms)}, stored in ${db}`);
  }
}

/** The maximum number of named crawls. */
const NAMED = 5;

/** Prints the command that explains crawls that ended partial or failed. */
export function printNextStep(rows: readonly CrawlRow[]): void {
  const ids = rows
    .filter(({ parentId, state }) => parentId === null && ['partial', 'failed'].includes(state))
    .map(({ id }) => id);
  if (ids.length === 0) return;
  const command = ids.length <= NAMED ? hint('crawls show', ids.join(' ')) : hint('crawls', '--state partial failed');
  printNote(`${command} explains ${pronounOf(ids.length)}`);
}

/**
 * Prints a note for each named crawl whose handle was renamed or reused, and for each list that was cut short: how many
 * accounts it lacks is no evidence of unfollows (invariant 7).
 */
export async function printEvidenceNotes(rows: readonly CrawlRow[], path: string): Promise<void> {
  const named = rows.filter(({ parentId }) => parentId === null).slice(0, NAMED);
  const lists = rows.filter(({ reason }) => reason === 'list_cut_short').slice(0, NAMED);
  const notes = await readStore(path, (db) => [
    ...named.map((crawl) => describeHandle(db, crawl)),
    ...lists.map((crawl) => describeCandidates(db, crawl)),
  ]);
  for (const note of new Set(notes)) if (note !== undefined) printNote(note);
}

function describeCandidates(db: Db, crawl: CrawlRow): string | undefined {
  const count = countFollowCandidates(db, { side: crawl.kind, restId: crawl.targetRestId ?? '' });
  if (count === 0) return undefined;
  return (
    `the ${describeCrawl(crawl)} lack ${pluralize(count, 'stored account')}, which the count does not explain: ` +
    `${count === 1 ? 'a candidate' : 'candidates'}, no unfollows; ${hint('recheck follows')} decides`
  );
}

/** Prints the number of unfinished crawls, and how to resume them. */
export function printUnfinished(rows: readonly CrawlRow[]): void {
  const left = countUnfinished(rows);
  if (left > 0) printNote(describeUnfinished(left, `the same command, or ${hint('work')}, resumes`));
}
