import type { CrawlKindData } from '#dashboard/server/api/new-crawl.ts';
import { KIND_NAMES, kindTable } from '#service/kinds/kinds.ts';

/** Lists the kinds of crawls, with the options that the form of a new one has. */
export const listKinds = (): CrawlKindData[] =>
  KIND_NAMES.map((name) => {
    const { summary, supportedOptions } = kindTable[name];
    return {
      name,
      summary,
      hasPageLimit: supportedOptions.includes('maxPages'),
      hasStart: supportedOptions.includes('since'),
    };
  });
