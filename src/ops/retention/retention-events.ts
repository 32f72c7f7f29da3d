import type { PruneCounts, PruneRequest } from '../../store/retention/prune-request.ts';

/** What the thread that applies retentions reports. */
export type RetentionEvent = { readonly jobName: string; readonly scope: PruneRequest['scope'] } & (
  | ({ readonly is: 'applied' } & PruneCounts)
  | { readonly is: 'failed'; readonly message: string }
);
