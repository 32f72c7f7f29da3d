import { NotFoundError } from '../../base/errors.ts';
import {
  fingerprint,
  type PageRequest,
  type PageSummary,
  type ParsedPage,
  parsePage,
} from '../../store/normalise/parse-page.ts';
import type { SubmittedPage } from '../../store/schema/commit-messages.ts';
import type { StoredCrawl } from '../../store/schema/query-results.ts';
import type { BreakerSession } from '../gates/outage/breaker.ts';
import type { RequestGates } from '../gates/request-gates.ts';
import type { EngineDependencies } from '../slice/engine-dependencies.ts';
import { checkRefusal, sendChecked } from './control-request.ts';
import { createPageRecorder } from './page-record.ts';
import { type SendOptions, sendThroughGates } from './request-sender.ts';

/** A parsed page. Its rows are staged, unless the response is shared or no page can be staged. */
export interface FetchedPage {
  readonly summary: PageSummary;
  readonly rows: SubmittedPage['rows'];
}

/** What the requests of a slice are sent with. */
export interface RequestSource {
  readonly session: BreakerSession;
  readonly gates: RequestGates;
  readonly signal: AbortSignal;
}

export type PageRequests = ReturnType<typeof createPageRequests>;

/** The requests of one page of a crawl, with a record of them. They count against its priority's quota and its run's budget. */
export function createPageRequests(dependencies: EngineDependencies, crawl: StoredCrawl, source: RequestSource) {
  const { clock, store, keepRaw } = dependencies;
  const { session, signal, gates } = source;
  const record = createPageRecorder(clock.now(), keepRaw);
  const sender = { ...dependencies, gates: gates.all, signal, record };

  async function sendLookup(request: PageRequest, since: number): Promise<ParsedPage> {
    const response = await sendThroughGates(sender, request, { since });
    return parsePage('body' in response ? response.body : undefined, request);
  }

  // No other request in flight counts as a control request.
  const sendControl = (request: PageRequest): Promise<ParsedPage> => sendLookup(request, Infinity);
  const control = { queries: store.queries, session, sendControl, record, now: clock.now };

  const send = (request: PageRequest, since = -Infinity): Promise<ParsedPage> =>
    sendChecked(control, request, () => sendLookup(request, since));

  return {
    record,
    /** @throws HeldError if the last 403 or 404 is not about its target: see `control-request.ts` */
    checkRefusal: (isContradicted?: boolean): Promise<void> => checkRefusal(control, isContradicted),
    /**
     * Sends a look-up.
     * @param since the earliest time at which the response may have been requested, milliseconds UTC
     * @throws HeldError, ServiceError if the response is not a page
     */
    send,
    /** Sends a look-up, and resolves with its page or its 404. @throws as `send` */
    find: async (request: PageRequest): Promise<ParsedPage | NotFoundError> =>
      await send(request).catch((error: unknown) => {
        if (error instanceof NotFoundError) return error;
        throw error;
      }),
    /** Sends the request of a page, and stages it where possible. @throws as `send` */
    async sendForPage(request: PageRequest, options: Pick<SendOptions, 'since' | 'byPost'>): Promise<FetchedPage> {
      const response = await sendChecked(control, request, () =>
        sendThroughGates(sender, request, { ...options, crawl }),
      );
      const { status, headers } = response;
      if ('body' in response) return parsePage(response.body, request, { status, headers });
      const { stagedId, rejectedCount, summary } = response.content;
      return { summary, rows: { stagedId, rejectedCount, fingerprint: fingerprint(summary) } };
    },
    /** Called after the last request. */
    close: gates.endPage,
  };
}
