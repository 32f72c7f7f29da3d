/** The attributes by which requests are grouped. */
export const ATTRIBUTIONS = ['crawl', 'kind', 'priority', 'day', 'job'] as const;
export type Attribution = (typeof ATTRIBUTIONS)[number];
