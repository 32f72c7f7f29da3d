import { parseCrawlOptions } from '../kinds/crawl-spec.ts';
import { type CrawlOptions, type Kind, getKind } from '../kinds/kinds.ts';
import type { CrawlRow } from '../store/schema/messages.ts';
import { type CrawlCheckpoint, parseCheckpoint, serialiseCheckpoint } from './pagination/crawl-checkpoint.ts';

/** A crawl while the engine works on it: decoded once per slice, then replaced by the state of each decision. */
export interface CrawlState {
  /** The row as the store has it once all pages so far are stored. */
  readonly row: CrawlRow;
  readonly kind: Kind;
  readonly options: CrawlOptions;
  readonly checkpoint: CrawlCheckpoint;
}

export const decodeCrawlState = (row: CrawlRow): CrawlState => ({
  row,
  kind: kindOf(row),
  options: parseCrawlOptions(row),
  checkpoint: parseCheckpoint(row.guard),
});

export const kindOf = ({ kind }: Pick<CrawlRow, 'kind'>): Kind => getKind(kind);

/** What a page changes in the state of its crawl; absent members stay as they are. */
export interface StateChange {
  readonly cursor?: string | null;
  readonly checkpoint?: CrawlCheckpoint;
  readonly targetId?: string | null;
  /** Pages and items that the page adds. */
  readonly pages?: number;
  readonly items?: number;
}

/** The state after a page. @param rejectedCount items of the page and of its look-ups that were rejected. */
export function advanceState(state: CrawlState, change: StateChange, rejectedCount: number): CrawlState {
  const { row } = state;
  const { checkpoint = state.checkpoint, cursor = row.cursor, targetId = row.targetId, pages = 0, items = 0 } = change;
  return {
    ...state,
    checkpoint,
    row: {
      ...row,
      ...{ cursor, targetId },
      guard: checkpoint === state.checkpoint ? row.guard : serialiseCheckpoint(checkpoint),
      pages: row.pages + pages,
      items: row.items + items,
      rejected: row.rejected + rejectedCount,
      failures: 0,
    },
  };
}
