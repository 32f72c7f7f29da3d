import { setImmediate as nextTurn } from 'node:timers/promises';
import { packPage } from '../store/journal/raw-bodies.ts';
import type { CrawlEnd, PageCommit, RequestEntry, ServedPage } from '../store/schema/messages.ts';
import type { EngineDependencies } from './engine-dependencies.ts';

/** A page as a step leaves it: its bodies are as they were served. */
export type UnpackedCommit = Omit<PageCommit, 'raw'> & { readonly raw: readonly ServedPage[] };

/**
 * The pages of one activation on their way to the store. While one is being stored the next may be asked for, but not
 * the one after it: so a crawl is at most one page ahead of its last commit, and a kill costs two pages at most (invariant 1).
 */
export interface CommitPipeline {
  /** Sends a page off, and resolves when the page before it is stored. @throws what kept that one from being stored. */
  commitPage(page: UnpackedCommit): Promise<void>;
  /** Resolves when all is stored, with how the crawl ended if it did. @throws what kept a page from being stored. */
  flush(): Promise<CrawlEnd | undefined>;
  /** The requests of pages that could not be stored: they were sent all the same. */
  readonly unstoredRequests: readonly RequestEntry[];
  /** The error that kept the first of them from being stored; undefined while all were. */
  readonly failure: unknown;
}

export function createCommitPipeline({
  store,
  announceCrawls,
}: Pick<EngineDependencies, 'store' | 'announceCrawls'>): CommitPipeline {
  const unstored: RequestEntry[] = [];
  /** Pages go off in order, each to be stored on top of the one before. */
  let sent: Promise<unknown> = Promise.resolve();
  let stored: Promise<CrawlEnd | undefined> = Promise.resolve(undefined);
  let failure: unknown;

  async function put(page: UnpackedCommit, packed: Promise<PageCommit>): Promise<CrawlEnd | undefined> {
    try {
      const { children, end } = await store.write.commit(await packed);
      if (children.length > 0) announceCrawls(children.map(({ id }) => id));
      return end;
    } catch (error) {
      unstored.push(...page.requests);
      // A page on top of one that failed fails for that.
      throw (failure ??= error);
    }
  }

  /**
   * First the next page is asked for: nobody waits for this one. (Its request leaves one turn of the event loop after it
   * was made: undici looks first whether an idle connection was closed.)
   */
  async function pack(page: UnpackedCommit, before: Promise<unknown>): Promise<PageCommit> {
    await nextTurn();
    await nextTurn();
    const raw = await Promise.all(page.raw.map(packPage));
    await before;
    return { ...page, raw };
  }

  return {
    unstoredRequests: unstored,
    get failure() {
      return failure;
    },
    async commitPage(page) {
      const before = stored;
      const packed = pack(page, sent);
      stored = put(page, packed);
      sent = packed.catch(() => undefined);
      // Whoever waits for it next is told.
      stored.catch(() => undefined);
      await before;
    },
    flush: () => stored,
  };
}
