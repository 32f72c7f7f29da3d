import type { RowCounts } from '#store/erasure/remove-rows.ts';

/** What to prune (decision 60). */
export interface PruneRequest {
  /**
   * `bodies`: raw bodies that were fetched before the limit. `tweets`: tweets that were written before it, and the bodies that
   * show one. `job`: both, and the edges and accounts that only the job has shown.
   */
  readonly scope: 'bodies' | 'tweets' | 'job';
  /** The limit, in milliseconds UTC; null for all of a job. */
  readonly olderThan: number | null;
  /** The job whose crawls alone brought what is pruned; undefined for any crawls. */
  readonly jobName?: string | undefined;
  /** Only bodies of lists of these accounts, or tweets by them: their ids. */
  readonly accountRestIds?: readonly string[] | undefined;
  /** The retention of the job, not a command. */
  readonly isRetention?: boolean | undefined;
}

/** What a prune removes or has removed. */
export interface PruneCounts {
  /** The numbers of rows by table. */
  readonly rows: RowCounts;
  /** The bytes of bodies, compressed. */
  readonly bodyBytes: number;
}

/** How far a prune is. Bodies are read once to find the tweets that they show. */
export interface PruneProgress {
  readonly step: 'reading bodies' | 'removing bodies' | 'removing tweets' | 'removing edges' | 'removing accounts';
  readonly done: number;
  /** Null if unknown. */
  readonly total: number | null;
}

export interface PruneOptions {
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** The pause after each batch, for other writers; 0 by default. */
  readonly pauseMs?: number | undefined;
  readonly onProgress?: ((progress: PruneProgress) => void) | undefined;
}
