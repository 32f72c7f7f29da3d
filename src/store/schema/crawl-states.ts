/** How urgent a crawl is: each class has a queue of its own. */
export const CRAWL_CLASSES = ['interactive', 'scheduled', 'backfill'] as const;

/** The first three are unfinished; the others are how a crawl ends. */
export const CRAWL_STATES = [
  'queued',
  'running',
  'paused',
  'complete',
  'capped',
  'partial',
  'failed',
  'cancelled',
] as const;
