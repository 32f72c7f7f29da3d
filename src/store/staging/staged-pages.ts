import { InvariantError, StoreError } from '#base/errors.ts';
import { hashBody, type StoredBody, toRawPage } from '#base/raw-bodies.ts';
import { parseJsonBody } from '#service/contract/json-body.ts';
import { fingerprint, type ParsedPage, parsePage } from '#store/normalise/parse-page.ts';
import type { PageCommit, SubmittedPage } from '#store/schema/commit-messages.ts';
import type { PageRows, StagedRows } from '#store/schema/normalised-rows.ts';
import type { PageToStage, StageReply, StagingLease } from './staging-messages.ts';

interface WaitingPage extends Pick<PageToStage, 'crawlId' | 'lease' | 'requestCursor'> {
  readonly rows: PageRows;
  readonly fingerprint: string;
  readonly body: (StoredBody & { readonly hash: string }) | undefined;
}

export type StagedPages = ReturnType<typeof createStagedPages>;

/** The staged pages of a writer thread: parsed pages that wait for their commit, at most two per crawl. */
export function createStagedPages() {
  const pages = new Map<number, WaitingPage>();
  let lastId = 0;

  function find(
    { stagedId }: Pick<StagedRows, 'stagedId'>,
    { crawlId, lease, requestCursor }: SubmittedPage,
  ): WaitingPage {
    const page = pages.get(stagedId);
    if (!page) throw new StoreError('a page is not staged any more: fetch it again', { failure: 'unavailable' });
    if (page.crawlId !== crawlId || page.lease !== lease || page.requestCursor !== requestCursor)
      throw new InvariantError(`crawl ${crawlId} commits a page that was staged for crawl ${page.crawlId}`);
    return page;
  }

  return {
    /** Parses a page and keeps its rows. A page that cannot be parsed comes back: its reader reports the error. */
    stagePage({ request, head, body, gzip, isKept, ...page }: PageToStage): StageReply {
      let parsed: ParsedPage;
      try {
        parsed = parsePage(parseJsonBody(body), request, head);
      } catch {
        return { is: 'unreadable', body, gzip };
      }
      const { summary, rows } = parsed;
      const hash = hashBody(body);
      const stagedId = (lastId += 1);
      const kept = isKept ? toRawPage({ body, gzip, hash }) : undefined;
      pages.set(stagedId, { ...page, rows, fingerprint: fingerprint(summary), body: kept });
      return { is: 'staged', stagedId, summary, rejectedCount: rows.rejects.length, bodyHash: hash };
    },

    /**
     * Puts the rows and the body of a staged page in its commit.
     * @throws StoreError if it is not staged, InvariantError if the crawl decided by the summary of another page
     */
    resolvePage(submitted: SubmittedPage): PageCommit {
      const { rows, bodies } = submitted;
      const isStaged = 'stagedId' in rows;
      if (isStaged && find(rows, submitted).fingerprint !== rows.fingerprint)
        throw new InvariantError(`crawl ${submitted.crawlId} decided by the summary of another page`);
      return {
        ...submitted,
        rows: isStaged ? find(rows, submitted).rows : rows,
        bodies: bodies.map(({ body, ...raw }) =>
          'stagedId' in body ? { ...raw, ...find(body, submitted).body! } : { ...raw, body },
        ),
      };
    },

    /** Drops a page after its commit. */
    removePage({ rows, bodies }: SubmittedPage): void {
      for (const part of [rows, ...bodies.map(({ body }) => body)]) if ('stagedId' in part) pages.delete(part.stagedId);
    },

    /** Drops the pages that a lease staged and did not commit. */
    discardPages({ crawlId, lease }: StagingLease): void {
      for (const [id, page] of pages) if (page.crawlId === crawlId && page.lease === lease) pages.delete(id);
    },

    clear: (): void => pages.clear(),
  };
}
