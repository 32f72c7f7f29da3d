/** Crawls that belong together: a statement that returns their ids, and its parameters. */
export interface CrawlSelection {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, string | number | null>>;
}
