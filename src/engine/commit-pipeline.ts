import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CrawlEnd } from '../kinds/end-states.ts';
import { compressPage } from '../raw-bodies.ts';
import type { PageCommit, RequestEntry, ServedPage } from '../store/schema/messages.ts';
import type { EngineDependencies } from './engine-dependencies.ts';

/** A commit whose bodies are not compressed yet. */
export type UnpackedCommit = Omit<PageCommit, 'bodies'> & { readonly bodies: readonly ServedPage[] };

export type CommitPipeline = ReturnType<typeof createCommitPipeline>;

/**
 * The commits of one slice, in order. While a page is being stored, only the next one may be requested: a crawl is at most
 * one page ahead of its last commit, and a kill costs at most two pages (invariant 1).
 */
export function createCommitPipeline({ store, announceCrawls }: Pick<EngineDependencies, 'store' | 'announceCrawls'>) {
  const unstored: RequestEntry[] = [];
  /** Pages are sent in order: each is stored on top of the one before. */
  let sent: Promise<unknown> = Promise.resolve();
  let stored: Promise<CrawlEnd | undefined> = Promise.resolve(undefined);
  let failure: unknown;

  async function put(page: UnpackedCommit, packed: Promise<PageCommit>): Promise<CrawlEnd | undefined> {
    try {
      const { children, end } = await store.write.commitPage(await packed);
      if (children.length > 0) announceCrawls(children.map(({ id }) => id));
      return end;
    } catch (error) {
      unstored.push(...page.requests);
      // The pages after a failed one fail with its error.
      throw (failure ??= error);
    }
  }

  /**
   * Compresses the bodies after the next page is requested. Its request leaves after one turn of the event loop, because
   * undici first checks for closed idle connections.
   */
  async function pack(page: UnpackedCommit, before: Promise<unknown>): Promise<PageCommit> {
    await nextTurn();
    await nextTurn();
    const bodies = await Promise.all(page.bodies.map(compressPage));
    await before;
    return { ...page, bodies };
  }

  return {
    /** The requests of pages that could not be stored. */
    unstoredRequests: unstored as readonly RequestEntry[],
    /** The error of the first page that could not be stored. */
    get failure(): unknown {
      return failure;
    },
    /** Starts to store a page; resolves when the page before it is stored. @throws the error of that page */
    async commitPage(page: UnpackedCommit): Promise<void> {
      const before = stored;
      const packed = pack(page, sent);
      stored = put(page, packed);
      sent = packed.catch(() => undefined);
      // The next caller gets the error.
      stored.catch(() => undefined);
      await before;
    },
    /** Resolves when all pages are stored, with the end of the crawl if it ended. @throws the error of a page */
    flush: (): Promise<CrawlEnd | undefined> => stored,
  };
}
