import type { CrawlEnd } from '../../service/kinds/end-states.ts';
import type { SubmittedPage } from '../../store/schema/commit-messages.ts';
import type { EngineDependencies } from './engine-dependencies.ts';
import type { SliceWrites } from './slice-writes.ts';

export type CommitPipeline = ReturnType<typeof createCommitPipeline>;

/**
 * The commits of one slice, in order. While a page is being stored, only the next one may be requested: a crawl is at most
 * one page ahead of its last commit, and a kill costs at most two pages (invariant 1).
 */
export function createCommitPipeline(
  commitPage: SliceWrites['commitPage'],
  announceCrawls: EngineDependencies['announceCrawls'],
) {
  let stored: Promise<CrawlEnd | undefined> = Promise.resolve(undefined);
  let lastCursor: string | null | undefined;

  async function put(page: SubmittedPage, before: typeof stored): Promise<CrawlEnd | undefined> {
    try {
      const isRepetition = page.requestCursor === lastCursor;
      lastCursor = page.requestCursor;
      // The store refuses a page after a lost one by its cursor; a page that is requested again has the same.
      const { children, end } = await commitPage(page, isRepetition ? before : undefined);
      if (children.length > 0) announceCrawls(children.map(({ id }) => id));
      return end;
    } catch (error) {
      // A page after a failed one fails with its error, whichever reply is read first.
      await before;
      throw error;
    }
  }

  return {
    /** Starts to store a page; resolves when the page before it is stored. @throws the error of that page */
    async commitPage(page: SubmittedPage): Promise<void> {
      const before = stored;
      stored = put(page, before);
      // The next caller gets the error.
      stored.catch(() => undefined);
      await before;
    },
    /** Resolves when all pages are stored, with the end of the crawl if it ended. @throws the error of a page */
    flush: (): Promise<CrawlEnd | undefined> => stored,
  };
}
