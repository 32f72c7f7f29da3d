/** What spending can be told by. */
export const ATTRIBUTIONS = ['crawl', 'kind', 'class', 'day', 'job'] as const;
export type Attribution = (typeof ATTRIBUTIONS)[number];
