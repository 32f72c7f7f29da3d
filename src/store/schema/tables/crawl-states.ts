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
