import { formatReason, describeTarget } from '#analysis/crawls/describe-crawl.ts';
import { EXIT } from '#cli/shared/common-options.ts';
import { pluralize, pronounOf, renderTable } from '#cli/terminal/print.ts';
import { summariseEnd, isSuccessState } from '#service/kinds/decide-end.ts';
import { getKind, type Kind } from '#service/kinds/kinds.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';

/** With more named crawls than this, successful ones are summed up. */
const LISTED = 40;

/** Named crawls one by one; child crawls summed up by kind, state and reason. */
export function formatSummaryTable(rows: readonly CrawlRow[]): string {
  const lines = new Map<string, { row: CrawlRow; of: number; figures: number[] }>();
  const named = rows.filter(({ parentId }) => parentId === null).length;
  const isListed = ({ parentId, state }: CrawlRow): boolean =>
    parentId === null && (named <= LISTED || !isSuccessState({ state }));
  for (const row of rows) {
    const key = isListed(row)
      ? String(row.id)
      : `${row.kind} ${row.parentId === null} ${row.state} ${formatReason(row)}`;
    const figures = [row.pages, row.items, row.newItems, row.requests];
    const line = lines.get(key);
    lines.set(key, {
      row: line?.row ?? row,
      of: (line?.of ?? 0) + 1,
      figures: figures.map((figure, i) => figure + (line?.figures[i] ?? 0)),
    });
  }
  return renderTable(
    ['kind', 'target', 'state', 'pages', 'items', 'new', 'requests', 'reason'],
    [...lines.values()].map(({ row, of, figures }) => {
      const noun = row.parentId === null ? 'target' : nameChild(getKind(row.kind));
      const target = isListed(row) ? describeTarget(row) : pluralize(of, noun);
      return [row.kind, target, row.state, ...figures, formatReason(row)];
    }),
    { width: Infinity },
  );
}

const nameChild = ({ supportedOptions, targetType }: Kind): string =>
  supportedOptions.includes('window') ? 'window' : targetType;

/** Whether a crawl is a success: complete, capped, or a child that stopped at --then-max-pages. */
const isSuccess = (row: CrawlRow, named: ReadonlySet<number>): boolean =>
  summariseEnd(row).exitCode === EXIT.complete ||
  (row.parentId !== null && !named.has(row.id) && row.reason === 'max_pages');

/** `3 crawls unfinished and kept: <command> them`. */
export const describeUnfinished = (unfinished: number, how: string): string =>
  `${pluralize(unfinished, 'crawl')} unfinished and kept: ${how} ${pronounOf(unfinished)}`;

/** The exit code of the worst crawl. @param named the ids of the named crawls. */
export function decideExitCode(rows: readonly CrawlRow[], named: readonly number[] = []): number {
  if (rows.some(({ state }) => state === 'failed')) return EXIT.failed;
  const all = new Set(named);
  return rows.every((row) => isSuccess(row, all)) ? EXIT.complete : EXIT.partial;
}
