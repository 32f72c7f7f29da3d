import { describeError, ForbiddenError, NotFoundError, ServiceError } from '../../base/errors.ts';
import { hashBody } from '../../base/raw-bodies.ts';
import type { ServiceResponse } from '../../service/client/client.ts';
import type { ClaimResponse } from '../../service/client/request-coalescing.ts';
import { type EndpointName, targetParameterName } from '../../service/contract/endpoints.ts';
import { NO_ROWS } from '../../store/normalise/pages.ts';
import { fingerprint, type PageRequest, type PageSummary, parsePage } from '../../store/normalise/parse-page.ts';
import type { Observation, Refusal, RequestEntry, SubmittedBody, SubmittedPage } from '../../store/schema/messages.ts';
import type { StoredCrawl } from '../../store/schema/query-results.ts';
import type { StagedPage, StageReply } from '../../store/staging/messages.ts';
import { passGates } from '../gates/gates.ts';
import { createRequestGates, type RequestSource } from '../gates/request-gates.ts';
import type { EngineDependencies } from '../slice/engine-dependencies.ts';
import { createControlRequests, toRefusal } from './control-request.ts';
import type { FetchedResponse, ParsedPage, ResponseContent } from './fetched-response.ts';

type RecordedPart = 'at' | 'rows' | 'responseIndex' | 'lookups' | 'requests' | 'bodies' | 'endpoints' | 'refusal';

/** What the requests of one page cost and returned. It is stored whether or not the page succeeds. */
export type PageRecord = Pick<SubmittedPage, RecordedPart>;

/** A parsed page. Its rows are staged, unless the response is shared or no page can be staged. */
export interface FetchedPage {
  readonly summary: PageSummary;
  readonly rows: SubmittedPage['rows'];
}

type Parameters = Record<string, string>;
/** Stages a response; undefined if it is to be parsed here. */
type StageResponse = (response: ServiceResponse) => Promise<StageReply | undefined>;

export type PageRequests = ReturnType<typeof createPageRequests>;

/** The requests of one page of a crawl, with a record of them. They count against its priority's quota and its run's budget. */
export function createPageRequests(dependencies: EngineDependencies, crawl: StoredCrawl, source: RequestSource) {
  const { client, coalescer, clock, keepRaw, staging } = dependencies;
  const { session, signal } = source;
  const { gates, release } = createRequestGates(dependencies, crawl, source);
  const requests: RequestEntry[] = [];
  const bodies: SubmittedBody[] = [];
  const endpoints: EndpointName[] = [];
  const lookups: Observation[] = [];
  let at = clock.now();
  let page: Pick<SubmittedPage, 'at' | 'rows' | 'responseIndex'> | undefined;
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
    bodies.push({ endpoint, parameters: JSON.stringify(parameters), status, headers, fetchedAt: at, body, gzip });
  }

  async function fetchResponse(
    endpoint: EndpointName,
    parameters: Parameters,
    byPost: boolean | undefined,
    stage: StageResponse,
  ): Promise<FetchedResponse> {
    const settle = await passGates(gates, endpoint);
    const sentAt = clock.now();
    at = sentAt;
    let response: FetchedResponse | undefined;
    let error: unknown;
    let isSent = true;
    try {
      const received = await client.fetch(endpoint, parameters, signal, byPost);
      const content = await readContent(received, stage);
      const { status, headers, ms, bytes } = received;
      requests.push({ endpoint, at: sentAt, status, ms, bytes });
      response = { at: sentAt, status, headers, ...content };
    } catch (thrown) {
      // After any other error the request may have left; one that did not costs no quota.
      const failure = thrown instanceof ServiceError ? thrown : new ServiceError(describeError(thrown));
      const { sent, status = null, body = '', message, ms = clock.now() - sentAt } = failure;
      const bytes = Buffer.byteLength(body);
      if (sent) requests.push({ endpoint, at: sentAt, status, ms, bytes, error: body || message });
      error = thrown;
      isSent = sent;
    }
    error = await settle(error, { sentAt, isSent });
    if (error instanceof NotFoundError) return { at: sentAt, notFound: error };
    if (response === undefined || error !== undefined) throw error;
    return response;
  }

  async function readContent(response: ServiceResponse, stage: StageResponse): Promise<ResponseContent> {
    const reply = await stage(response);
    if (reply?.is === 'staged') return { staged: reply };
    // A page that could not be parsed came back, and this reports why.
    const { raw, gzip } = reply ? { raw: Buffer.from(reply.body.buffer), gzip: reply.gzip } : response;
    return { raw, gzip, body: client.parse({ ...response, raw }) };
  }

  /**
   * Sends one request, reserved before it is sent and settled whatever comes back (invariant 8). Takes the response of an
   * equal request in flight instead, if that began at `since` or later.
   * @throws HeldError, ServiceError if the response is not a page
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

  async function sendLookup(request: PageRequest, since: number): Promise<ParsedPage> {
    const response = await receive(request.endpoint, toParameters(request), { since });
    return parsePage('body' in response ? response.body : undefined, request);
  }

  const addLookup = (rows: Observation['rows']): void => void lookups.push(observe(rows));
  const control = createControlRequests({
    queries: dependencies.store.queries,
    session,
    now: clock.now,
    addLookup,
    // No other request in flight counts as one.
    send: (request) => sendLookup(request, Infinity),
  });

  /** Runs what sends a request that a control request may follow or precede. */
  async function sendChecked<T>(request: PageRequest, send: () => Promise<T>): Promise<T> {
    await control.probe(request);
    try {
      return await send();
    } catch (error) {
      if (error instanceof NotFoundError) refusal = toRefusal(request, 'not_found');
      if (error instanceof ForbiddenError) refusal = toRefusal(request, 'forbidden');
      throw error;
    }
  }

  const send = (request: PageRequest, since = -Infinity): Promise<ParsedPage> =>
    sendChecked(request, () => sendLookup(request, since));

  return {
    /** When the latest response was requested. */
    get at(): number {
      return at;
    },
    /**
     * Sends a look-up.
     * @param since the earliest time at which the response may have been requested, milliseconds UTC
     * @throws as `receive`
     */
    send,
    /** Sends a look-up, and resolves with its page or its 404. @throws as `receive` */
    find: async (request: PageRequest): Promise<ParsedPage | NotFoundError> =>
      await send(request).catch((error: unknown) => {
        if (error instanceof NotFoundError) return error;
        throw error;
      }),
    /**
     * Sends the request of a page, and stages it where possible.
     * @param since the earliest time at which the response may have been requested, milliseconds UTC
     * @param byPost send it by POST in any case: caches answer GET
     * @throws as `receive`
     */
    async sendForPage(
      request: PageRequest,
      { since, byPost }: { readonly since: number; readonly byPost?: boolean | undefined },
    ): Promise<FetchedPage> {
      const { id: crawlId, leaseToken: lease, cursor: requestCursor } = crawl;
      const stage =
        staging &&
        (({ raw: body, gzip, status, headers }: ServiceResponse) => {
          const head = { status, headers };
          return staging.stagePage({ crawlId, lease, requestCursor, request, head, body, gzip, isKept: keepRaw });
        });
      const parameters = { ...toParameters(request), ...(requestCursor === null ? {} : { cursor: requestCursor }) };
      const response = await sendChecked(request, () =>
        receive(request.endpoint, parameters, { since, byPost }, stage),
      );
      const { status, headers } = response;
      if ('body' in response) return parsePage(response.body, request, { status, headers });
      const { stagedId, rejectedCount, summary } = response.staged;
      return { summary, rows: { stagedId, rejectedCount, fingerprint: fingerprint(summary) } };
    },
    /** SHA-256 of the body of the latest response. */
    hashResponse(): string {
      if ('bodyHash' in latest) return latest.bodyHash;
      const found = hashBody(latest);
      // A kept body need not be hashed again.
      const last = bodies.at(-1);
      if (last?.body === latest) bodies[bodies.length - 1] = { ...last, hash: found };
      return found;
    },
    /** Records the rows of the latest response as those of the page. */
    setPage: (rows: SubmittedPage['rows']): void => void (page = observe(rows)),
    /** Records the rows of the latest response as those of a look-up. */
    addLookup,
    /**
     * Checks by a control request whether the last 403 or 404 is about its target. The time of the page stays that of the
     * refusal. @param isContradicted another response contradicts a 404
     * @throws HeldError if it is not
     */
    async checkRefusal(isContradicted = false): Promise<void> {
      const refusedAt = at;
      const isServed = requests.some(({ endpoint, status }) => endpoint === refusal?.endpoint && status === 200);
      if (refusal && !(refusal.cause === 'not_found' && isServed)) await control.check(refusal, isContradicted);
      at = refusedAt;
    },
    /** Called after the last request. */
    close: release,
    /** The record up to now. */
    readRecord(): PageRecord {
      return { ...(page ?? { at, rows: NO_ROWS }), lookups, requests, bodies, endpoints, refusal };
    },
  };
}

const toParameters = ({ endpoint, value }: PageRequest): Parameters => ({ [targetParameterName(endpoint)]: value });
