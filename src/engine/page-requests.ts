import type { CoalescedResponse } from '../client/request-coalescing.ts';
import type { EndpointName } from '../contract/endpoints.ts';
import {
  BadRequestError,
  ContractError,
  describeError,
  NotFoundError,
  OutageError,
  PausedError,
  ServiceError,
  TransientError,
} from '../errors.ts';
import { NO_ROWS, type NormalisedPage } from '../normalise/pages.ts';
import { hashBody } from '../raw-bodies.ts';
import type { Observation, PageCommit, RequestEntry, ServedPage } from '../store/schema/messages.ts';
import type { StoredCrawl } from '../store/schema/query-results.ts';
import type { EngineDependencies } from './engine-dependencies.ts';
import type { BreakerSession } from './outage/breaker.ts';

/** What the requests of one page cost and returned, whether or not the page succeeded. */
export interface FetchRecord {
  /** When the latest response was requested, milliseconds UTC. */
  readonly at: number;
  /** The rows of the page; undefined until it is parsed. */
  readonly page: Observation | undefined;
  /** The rows of other responses, such as account look-ups. */
  readonly lookups: readonly Observation[];
  readonly requests: readonly RequestEntry[];
  /** The bodies as served; empty where bodies are not kept. */
  readonly responses: readonly ServedPage[];
  /** The endpoints of all responses, in order, whether or not bodies are kept. */
  readonly endpoints: readonly EndpointName[];
  /** The request without a response, or with one that calls for a retry: the reason may lie with the service. */
  readonly unanswered:
    | { readonly endpoint: EndpointName; readonly sentAt: number; readonly error: TransientError }
    | undefined;
}

export type PageRequests = ReturnType<typeof createPageRequests>;

/** The requests of one page of a crawl, with a record of them. They count against its priority's quota and its run's budget. */
export function createPageRequests(
  dependencies: EngineDependencies,
  { priority, runId }: Pick<StoredCrawl, 'priority' | 'runId'>,
  session: BreakerSession,
  signal: AbortSignal,
) {
  const { client, governor, budgets, coalescer, clock, keepRaw } = dependencies;
  const requests: RequestEntry[] = [];
  const responses: ServedPage[] = [];
  const endpoints: EndpointName[] = [];
  const lookups: Observation[] = [];
  let at = clock.now();
  let page: Observation | undefined;
  let unanswered: FetchRecord['unanswered'];
  let latest: Uint8Array = Buffer.alloc(0);

  const observe = (rows: NormalisedPage['rows']): Observation => ({ at, rows, responseIndex: endpoints.length - 1 });

  function keepResponse(
    endpoint: EndpointName,
    parameters: Record<string, string>,
    status: number,
    body: Uint8Array,
    gzip?: Uint8Array,
  ): void {
    endpoints.push(endpoint);
    latest = body;
    if (keepRaw)
      responses.push({ endpoint, parameters: JSON.stringify(parameters), status, fetchedAt: at, body, gzip });
  }

  async function reserve() {
    const grant = await governor.reserve(priority, signal);
    if (grant.granted) return grant;
    throw new PausedError(grant);
  }

  async function fetchResponse(endpoint: EndpointName, parameters: Record<string, string>): Promise<CoalescedResponse> {
    const hold = await session.beginRequest(endpoint);
    if (hold) throw new OutageError(hold);
    const releaseBudget = await budgets.reserve(runId);
    const grant = await reserve().catch((error: unknown) => {
      releaseBudget();
      throw error;
    });
    const sentAt = clock.now();
    at = sentAt;
    let sent = true;
    try {
      const { status, ms, bytes, raw, gzip, body } = await client.fetch(endpoint, parameters, signal);
      requests.push({ endpoint, at: sentAt, status, ms, bytes });
      await session.reportSuccess(endpoint, sentAt);
      return { at: sentAt, status, raw, gzip, body };
    } catch (error) {
      // After any other error the request may have left; one that did not costs no quota.
      const failure = error instanceof ServiceError ? error : new ServiceError(describeError(error));
      sent = failure.sent;
      const { status = null, body = '', message } = failure;
      if (sent) {
        const ms = failure.ms ?? clock.now() - sentAt;
        const bytes = Buffer.byteLength(body);
        requests.push({ endpoint, at: sentAt, status, ms, bytes, error: body || message });
      }
      if (error instanceof TransientError) unanswered = { endpoint, sentAt, error };
      if (isAnswer(error)) await session.reportSuccess(endpoint, sentAt);
      if (error instanceof NotFoundError) return { at: sentAt, notFound: error };
      throw error;
    } finally {
      governor.settle(grant.id, sent);
      if (!sent) releaseBudget();
    }
  }

  return {
    signal,
    /** When the latest response was requested. */
    get at(): number {
      return at;
    },
    /**
     * Sends one request, reserved before it is sent and settled whatever comes back (invariant 8). Takes the response of an
     * equal request in flight instead, if that began at `since` or later. Resolves with the parsed body.
     * @throws PausedError without quota, OutageError while the circuit breaker is open, BudgetSpentError, ServiceError if
     * the response is not a page.
     */
    async send(endpoint: EndpointName, parameters: Record<string, string>, since = -Infinity): Promise<unknown> {
      const question = { endpoint, parameters, since };
      const response = await coalescer.coalesce(question, () => fetchResponse(endpoint, parameters));
      at = response.at;
      if ('notFound' in response) {
        // A 404 is evidence, too.
        keepResponse(endpoint, parameters, 404, Buffer.from(response.notFound.body ?? ''));
        throw response.notFound;
      }
      keepResponse(endpoint, parameters, response.status, response.raw, response.gzip);
      return response.body;
    },
    /** SHA-256 of the body of the latest response. */
    hashResponse(): string {
      const found = hashBody(latest);
      // A kept body need not be hashed again.
      const last = responses.at(-1);
      if (last?.body === latest) responses[responses.length - 1] = { ...last, hash: found };
      return found;
    },
    /** Records the rows of the latest response as those of the page. */
    setPage: (rows: NormalisedPage['rows']): void => void (page = observe(rows)),
    /** Records the rows of the latest response as those of a look-up. */
    addLookup: (rows: NormalisedPage['rows']): void => void lookups.push(observe(rows)),
    /** The record up to now. */
    readRecord: (): FetchRecord => ({ at, page, lookups, requests, responses, endpoints, unanswered }),
  };
}

/** Whether a failed request shows that the service works. Refusals for quota or key do not. */
const isAnswer = (error: unknown): boolean =>
  error instanceof NotFoundError || error instanceof BadRequestError || error instanceof ContractError;

type RecordedPart = 'at' | 'rows' | 'responseIndex' | 'lookups' | 'requests' | 'endpoints';

/** What of a record is stored, whatever becomes of its crawl. */
export function toRecordedParts(record: FetchRecord): Pick<PageCommit, RecordedPart> {
  const { at, page, lookups, requests, endpoints } = record;
  return { ...(page ?? { at, rows: NO_ROWS }), lookups, requests, endpoints };
}
