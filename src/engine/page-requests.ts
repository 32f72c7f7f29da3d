import type { ServiceResponse } from '../client/client.ts';
import type { ClaimResponse } from '../client/request-coalescing.ts';
import type { EndpointName } from '../contract/endpoints.ts';
import type { ResponseHead } from '../contract/pages.ts';
import {
  BadRequestError,
  ContractError,
  describeError,
  ForbiddenError,
  NotFoundError,
  OutageError,
  ServiceError,
  TransientError,
} from '../errors.ts';
import { NO_ROWS } from '../normalise/pages.ts';
import { fingerprint, type PageRequest, type PageSummary } from '../normalise/parse-page.ts';
import { hashBody } from '../raw-bodies.ts';
import type { StagedPage, StageReply } from '../staging/messages.ts';
import type { Observation, Refusal, RequestEntry, SubmittedBody, SubmittedPage } from '../store/schema/messages.ts';
import type { StoredCrawl } from '../store/schema/query-results.ts';
import { createControlRequests, toRefusal } from './control-request.ts';
import type { EngineDependencies } from './engine-dependencies.ts';
import type { BreakerSession } from './outage/breaker.ts';
import { createPagePermits } from './page-permits.ts';

/** What the requests of one page cost and returned, whether or not the page succeeded. */
export interface FetchRecord {
  /** When the latest response was requested, milliseconds UTC. */
  readonly at: number;
  /** The rows of the page; undefined until it is parsed. */
  readonly page: Pick<SubmittedPage, 'at' | 'rows' | 'responseIndex'> | undefined;
  /** The rows of other responses, such as account look-ups. */
  readonly lookups: readonly Observation[];
  readonly requests: readonly RequestEntry[];
  /** The bodies as served; empty where bodies are neither kept nor shipped. */
  readonly responses: readonly SubmittedBody[];
  /** The endpoints of all responses, in order, whether or not bodies are kept. */
  readonly endpoints: readonly EndpointName[];
  /** The request without a response, or with one that calls for a retry: the reason may lie with the service. */
  readonly unanswered:
    | { readonly endpoint: EndpointName; readonly sentAt: number; readonly error: TransientError }
    | undefined;
  /** The last 403 or 404 that was no control request. */
  readonly refusal: Refusal | undefined;
}

/** What a response contains: its bytes and their JSON, or a staged page. */
type Content =
  | { readonly raw: Uint8Array; readonly gzip: Uint8Array | undefined; readonly body: unknown }
  | { readonly staged: StagedPage };

/** A response as crawls share it, or its 404. A staged page is not shared. `at` is when it was requested. */
export type FetchedResponse =
  | ({ readonly at: number; readonly status: number; readonly headers: string } & Content)
  | { readonly at: number; readonly notFound: NotFoundError };

/** A page: staged, or its body where the response is shared, cannot be parsed, or no page can be staged. */
export type FetchedPage =
  | { readonly is: 'body'; readonly body: unknown; readonly head?: ResponseHead | undefined }
  | { readonly is: 'staged'; readonly summary: PageSummary; readonly rows: SubmittedPage['rows'] };

type Parameters = Record<string, string>;
/** Stages a response; undefined if it is to be parsed here. */
type StageResponse = (response: ServiceResponse) => Promise<StageReply | undefined>;

export type PageRequests = ReturnType<typeof createPageRequests>;

/** The requests of one page of a crawl, with a record of them. They count against its priority's quota and its run's budget. */
export function createPageRequests(
  dependencies: EngineDependencies,
  crawl: Pick<StoredCrawl, 'id' | 'leaseToken' | 'cursor' | 'priority' | 'runId' | 'checkpoint'>,
  session: BreakerSession,
  signal: AbortSignal,
) {
  const { client, budgets, coalescer, clock, keepRaw, staging, contact } = dependencies;
  const { runId } = crawl;
  const permits = createPagePermits(dependencies, crawl, signal);
  const requests: RequestEntry[] = [];
  const responses: SubmittedBody[] = [];
  const endpoints: EndpointName[] = [];
  const lookups: Observation[] = [];
  let at = clock.now();
  let page: FetchRecord['page'];
  let unanswered: FetchRecord['unanswered'];
  let refusal: Refusal | undefined;
  let latest: Uint8Array | Pick<StagedPage, 'bodyHash'> = Buffer.alloc(0);

  const observe = <Rows>(rows: Rows) => ({ at, rows, responseIndex: endpoints.length - 1 });

  function keepResponse(
    endpoint: EndpointName,
    parameters: Parameters,
    { status, headers }: Pick<SubmittedBody, 'status' | 'headers'>,
    response: Uint8Array | StagedPage,
    gzip?: Uint8Array,
  ): void {
    endpoints.push(endpoint);
    latest = response;
    const body = 'stagedId' in response ? { stagedId: response.stagedId } : response;
    if (!keepRaw) return;
    responses.push({ endpoint, parameters: JSON.stringify(parameters), status, headers, fetchedAt: at, body, gzip });
  }

  async function fetchResponse(
    endpoint: EndpointName,
    parameters: Parameters,
    byPost: boolean | undefined,
    stage: StageResponse,
  ): Promise<FetchedResponse> {
    const hold = await session.beginRequest(endpoint);
    if (hold) throw new OutageError(hold);
    const releaseBudget = await budgets.reserve(runId);
    const permit = await permits.reserve().catch((error: unknown) => {
      releaseBudget();
      throw error;
    });
    const sentAt = clock.now();
    at = sentAt;
    let sent = true;
    try {
      const response = await client.fetch(endpoint, parameters, signal, byPost);
      const content = await readContent(response, stage);
      const { status, headers, ms, bytes } = response;
      requests.push({ endpoint, at: sentAt, status, ms, bytes });
      if (contact) contact.isFirst = false;
      await session.reportSuccess(endpoint, sentAt);
      return { at: sentAt, status, headers, ...content };
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
      if (isAnswer(error)) await session.reportSuccess(endpoint, sentAt, false);
      if (error instanceof NotFoundError) return { at: sentAt, notFound: error };
      throw error;
    } finally {
      permits.settle(permit, sent);
      if (!sent) releaseBudget();
    }
  }

  async function readContent(response: ServiceResponse, stage: StageResponse): Promise<Content> {
    const reply = await stage(response);
    if (reply?.is === 'staged') return { staged: reply };
    // A page that could not be parsed came back, and this reports why.
    const { raw, gzip } = reply ? { raw: Buffer.from(reply.body.buffer), gzip: reply.gzip } : response;
    return { raw, gzip, body: client.parse({ ...response, raw }) };
  }

  /**
   * Sends one request, reserved before it is sent and settled whatever comes back (invariant 8). Takes the response of an
   * equal request in flight instead, if that began at `since` or later.
   * @throws PausedError without quota, OutageError while the circuit breaker is open, BudgetSpentError, ServiceError if
   * the response is not a page.
   */
  async function receive(
    endpoint: EndpointName,
    parameters: Parameters,
    { since, byPost }: { readonly since: number; readonly byPost?: boolean | undefined },
    stage?: (response: ServiceResponse) => Promise<StageReply>,
  ): Promise<Exclude<FetchedResponse, { notFound: NotFoundError }>> {
    const response = await coalescer.coalesce({ endpoint, parameters, since }, (claim: ClaimResponse) =>
      // A buffer that another crawl waits for is not moved to another thread.
      fetchResponse(endpoint, parameters, byPost, async (one) => (stage && claim() ? await stage(one) : undefined)),
    );
    at = response.at;
    if ('notFound' in response) {
      // A 404 is evidence, too.
      const { headers, body = '' } = response.notFound;
      keepResponse(endpoint, parameters, { status: 404, headers }, Buffer.from(body));
      throw response.notFound;
    }
    if ('staged' in response) keepResponse(endpoint, parameters, response, response.staged);
    else keepResponse(endpoint, parameters, response, response.raw, response.gzip);
    return response;
  }

  async function sendLookup(endpoint: EndpointName, parameters: Parameters, since: number): Promise<unknown> {
    const response = await receive(endpoint, parameters, { since });
    return 'body' in response ? response.body : undefined;
  }

  const addLookup = (rows: Observation['rows']): void => void lookups.push(observe(rows));
  const control = createControlRequests({
    queries: dependencies.store.queries,
    session,
    now: clock.now,
    addLookup,
    // No other request in flight counts as one.
    send: (endpoint, parameters) => sendLookup(endpoint, parameters, Infinity),
  });

  /** Runs what sends a request that a control request may follow or precede. */
  async function sendChecked<T>(endpoint: EndpointName, parameters: Parameters, send: () => Promise<T>): Promise<T> {
    await control.probe(endpoint, parameters);
    try {
      return await send();
    } catch (error) {
      if (error instanceof NotFoundError) refusal = toRefusal(endpoint, parameters, 'not_found');
      if (error instanceof ForbiddenError) refusal = toRefusal(endpoint, parameters, 'forbidden');
      throw error;
    }
  }

  return {
    signal,
    /** When the latest response was requested. */
    get at(): number {
      return at;
    },
    /**
     * Sends a look-up, and resolves with its parsed body.
     * @param since the earliest time at which the response may have been requested, milliseconds UTC
     * @throws as `receive`
     */
    send: (endpoint: EndpointName, parameters: Parameters, since = -Infinity): Promise<unknown> =>
      sendChecked(endpoint, parameters, () => sendLookup(endpoint, parameters, since)),
    /**
     * Sends the request of a page, and stages it where possible.
     * @param since the earliest time at which the response may have been requested, milliseconds UTC
     * @param byPost send it by POST in any case: caches answer GET
     * @throws as `receive`
     */
    async sendForPage(
      request: PageRequest,
      parameters: Parameters,
      { since, byPost }: { readonly since: number; readonly byPost?: boolean | undefined },
    ): Promise<FetchedPage> {
      const { id: crawlId, leaseToken: lease, cursor: requestCursor } = crawl;
      const stage =
        staging &&
        (({ raw: body, gzip, status, headers }: ServiceResponse) => {
          const head = { status, headers };
          return staging.stagePage({ crawlId, lease, requestCursor, request, head, body, gzip, isKept: keepRaw });
        });
      const response = await sendChecked(request.endpoint, parameters, () =>
        receive(request.endpoint, parameters, { since, byPost }, stage),
      );
      const { status, headers } = response;
      if ('body' in response) return { is: 'body', body: response.body, head: { status, headers } };
      const { stagedId, rejectedCount, summary } = response.staged;
      return { is: 'staged', summary, rows: { stagedId, rejectedCount, fingerprint: fingerprint(summary) } };
    },
    /** SHA-256 of the body of the latest response. */
    hashResponse(): string {
      if ('bodyHash' in latest) return latest.bodyHash;
      const found = hashBody(latest);
      // A kept body need not be hashed again.
      const last = responses.at(-1);
      if (last?.body === latest) responses[responses.length - 1] = { ...last, hash: found };
      return found;
    },
    /** Records the rows of the latest response as those of the page. */
    setPage: (rows: SubmittedPage['rows']): void => void (page = observe(rows)),
    /** Records the rows of the latest response as those of a look-up. */
    addLookup,
    /**
     * Checks by a control request whether the last 403 or 404 is about its target. The time of the page stays that of the
     * refusal. @param isContradicted another response contradicts a 404
     * @throws OutageError if it is not
     */
    async checkRefusal(isContradicted = false): Promise<void> {
      const refusedAt = at;
      const isServed = requests.some(({ endpoint, status }) => endpoint === refusal?.endpoint && status === 200);
      if (refusal && !(refusal.cause === 'not_found' && isServed)) await control.check(refusal, isContradicted);
      at = refusedAt;
    },
    /** Reports a request without a response to the circuit breaker, where the page goes on without it. */
    async reportUnanswered(): Promise<void> {
      if (!unanswered) return;
      const { endpoint, sentAt, error } = unanswered;
      const { sent, message: why, retryAfterMs } = error;
      unanswered = undefined;
      await session.reportFailure({ endpoint, sentAt, isUnsent: !sent, why, retryAfterMs, failedBefore: sentAt });
    },
    /** Called after the last request. */
    close: permits.release,
    /** The record up to now. */
    readRecord: (): FetchRecord => ({ at, page, lookups, requests, responses, endpoints, unanswered, refusal }),
  };
}

/** Whether a failed request shows that the service works. Refusals for quota or key do not. */
const isAnswer = (error: unknown): boolean =>
  error instanceof NotFoundError || error instanceof BadRequestError || error instanceof ContractError;

type RecordedPart = 'at' | 'rows' | 'responseIndex' | 'lookups' | 'requests' | 'endpoints' | 'refusal';

/** What of a record is stored, whatever becomes of its crawl. */
export function toRecordedParts(record: FetchRecord): Pick<SubmittedPage, RecordedPart> {
  const { at, page, lookups, requests, endpoints, refusal } = record;
  return { ...(page ?? { at, rows: NO_ROWS }), lookups, requests, endpoints, refusal };
}
