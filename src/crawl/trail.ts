import type { PageCommit, RequestEntry } from '../store/messages.ts';
import type { CrawlPorts } from './ports.ts';

/**
 * The pages of one activation on their way to the store. While one is being stored the next may be asked for, but not
 * the one after it: so a crawl is at most one page ahead of its last commit, and a kill costs two pages at most (law 1).
 */
export interface Trail {
  /** Sends a page off, and resolves when the page before it is stored. @throws what kept that one from being stored. */
  add(page: PageCommit): Promise<void>;
  /** Resolves when all is stored. @throws what kept a page from being stored. */
  end(): Promise<void>;
  /** The requests of pages that could not be stored: they were sent all the same. */
  readonly unstored: readonly RequestEntry[];
}

export function createTrail({ store, announce }: Pick<CrawlPorts, 'store' | 'announce'>): Trail {
  const unstored: RequestEntry[] = [];
  let last: Promise<void> = Promise.resolve();
  let failure: unknown;

  async function put(page: PageCommit): Promise<void> {
    try {
      const { children } = await store.write.commit(page);
      if (children.length > 0) announce(children.map(({ id }) => id));
    } catch (error) {
      unstored.push(...page.requests);
      // A page on top of one that failed fails for that.
      throw (failure ??= error);
    }
  }

  return {
    unstored,
    async add(page) {
      const before = last;
      last = put(page);
      // Whoever waits for it next is told.
      last.catch(() => undefined);
      await before;
    },
    end: () => last,
  };
}
