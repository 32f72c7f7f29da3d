/** What lists of crawls are sorted by. */
export const CRAWL_SORTS = ['id', 'started', 'duration', 'pages', 'requests', 'target'] as const;
export type CrawlSort = (typeof CRAWL_SORTS)[number];
