/** How a crawl ends. */
export const END_STATES = ['complete', 'capped', 'partial', 'failed', 'cancelled'] as const;

/** The first three are unfinished. */
export const CRAWL_STATES = ['queued', 'running', 'paused', ...END_STATES] as const;
