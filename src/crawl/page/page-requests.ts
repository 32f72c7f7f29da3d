import { describeError, NotFoundError, ServiceError } from '#base/errors.ts';
import { type Gate, passGates } from '#crawl/gates/gates.ts';
import type { BreakerSession } from '#crawl/gates/outage/breaker.ts';
import type { RequestGates } from '#crawl/gates/request-gates.ts';
import type { EngineDependencies } from '#crawl/slice/engine-dependencies.ts';
import type { ServiceResponse } from '#service/client/client.ts';
import { targetParameters } from '#service/contract/endpoints.ts';
import {
  fingerprint,
  type PageRequest,
  type PageSummary,
  type ParsedPage,
  parsePage,
} from '#store/normalise/parse-page.ts';
import type { SubmittedPage } from '#store/schema/commit-messages.ts';
import type { StoredCrawl } from '#store/schema/query-results.ts';
import { checkRefusal, sendChecked } from './control-request.ts';
import { type FetchedResponse, type ResponseContent, createPageRecorder, type PageRecorder } from './page-record.ts';

/** A parsed page. Its rows are staged where possible. */
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

interface SendOptions {
  /** The crawl whose page is requested. The page is staged where possible; other responses are parsed here. */
  readonly crawl?: StoredCrawl;
  /** Send the request by POST in any case: caches answer GET. */
  readonly byPost?: boolean | undefined;
  /** Of a look-up: the earliest time at which the response may have been requested, milliseconds UTC. */
  readonly since?: number | undefined;
}

/** What the requests of one page are sent with, and recorded in. */
interface Sender extends Pick<EngineDependencies, 'client' | 'coalescer' | 'clock' | 'staging' | 'keepRaw'> {
  readonly gates: readonly Gate[];
  readonly signal: AbortSignal;
  readonly record: PageRecorder;
}

interface FetchOptions extends SendOptions {
  readonly parameters: Readonly<Record<string, string>>;
}

type Response = Exclude<FetchedResponse, { notFound: NotFoundError }>;

export type PageRequests = ReturnType<typeof createPageRequests>;

/** The requests of one page of a crawl, with a record of them. They count against its priority's quota and its run's budget. */
export function createPageRequests(dependencies: EngineDependencies, crawl: StoredCrawl, source: RequestSource) {
  const { clock, store, keepRaw } = dependencies;
  const { session, signal, gates } = source;
  const record = createPageRecorder(clock.now(), keepRaw);
  const sender = { ...dependencies, gates: gates.all, signal, record };

  async function sendLookup(request: PageRequest, since?: number): Promise<ParsedPage> {
    const response = await sendThroughGates(sender, request, { since });
    return parsePage('body' in response ? response.body : undefined, request, response);
  }

  // No other request in flight counts as a control request.
  const sendControl = (request: PageRequest): Promise<ParsedPage> => sendLookup(request, Infinity);
  const control = { queries: store.queries, session, sendControl, record, now: clock.now };

  const send = (request: PageRequest, since?: number): Promise<ParsedPage> =>
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
    async sendForPage(request: PageRequest, byPost?: boolean): Promise<FetchedPage> {
      const response = await sendChecked(control, request, () => sendThroughGates(sender, request, { crawl, byPost }));
      const { status, headers } = response;
      if ('body' in response) return parsePage(response.body, request, { status, headers });
      const { stagedId, rejectedCount, summary } = response.content;
      return { summary, rows: { stagedId, rejectedCount, fingerprint: fingerprint(summary) } };
    },
    /** Called after the last request. */
    close: gates.endPage,
  };
}

/**
 * Sends a request through the gates of its page. A look-up takes the response of an equal one in flight that was sent at `since`
 * or later. Both are recorded. @throws HeldError, ServiceError if the response is not a page
 */
async function sendThroughGates(sender: Sender, request: PageRequest, options: SendOptions): Promise<Response> {
  const { coalescer, record } = sender;
  const { endpoint, value } = request;
  const { since = -Infinity, crawl } = options;
  const cursor = crawl?.cursor ?? null;
  const parameters = { [targetParameters[endpoint]]: value, ...(cursor === null ? {} : { cursor }) };
  const fetchOptions = { ...options, parameters };
  // A page is its crawl's own: its buffers move to the thread that stores it.
  const response = crawl
    ? await fetchResponse(sender, request, fetchOptions)
    : await coalescer.coalesce({ endpoint, parameters, since }, () => fetchResponse(sender, request, fetchOptions));
  record.at = response.at;
  // A 404 is evidence, too.
  record.addResponse(endpoint, parameters, response);
  if ('notFound' in response) throw response.notFound;
  return response;
}

/** Sends a request that the gates admit, and settles it whatever comes back (invariant 8). */
async function fetchResponse(sender: Sender, request: PageRequest, options: FetchOptions): Promise<FetchedResponse> {
  const { client, clock, gates, signal, record } = sender;
  const { endpoint } = request;
  const settle = await passGates(gates, endpoint);
  const sentAt = clock.now();
  record.at = sentAt;
  let response: FetchedResponse | undefined;
  let error: unknown;
  try {
    const received = await client.fetch(endpoint, options.parameters, signal, options.byPost);
    const content = await readContent(sender, request, received, options);
    const { status, headers, ms, bytes } = received;
    record.requests.push({ endpoint, at: sentAt, status, ms, bytes });
    response = { at: sentAt, status, headers, ...content };
  } catch (thrown) {
    error = thrown;
  }
  const failure = error === undefined ? undefined : toServiceError(error);
  if (failure?.sent) {
    const { status = null, body = '', message, ms = clock.now() - sentAt } = failure;
    const bytes = Buffer.byteLength(body);
    record.requests.push({ endpoint, at: sentAt, status, ms, bytes, error: body || message });
  }
  error = await settle(error, { sentAt, isSent: failure?.sent ?? true });
  if (error instanceof NotFoundError) {
    const { headers, body = '' } = error;
    return { at: sentAt, status: 404, headers, content: Buffer.from(body), notFound: error };
  }
  if (response === undefined || error !== undefined) throw error;
  return response;
}

async function readContent(
  { client, staging, keepRaw: isKept }: Sender,
  request: PageRequest,
  response: ServiceResponse,
  { crawl }: FetchOptions,
): Promise<ResponseContent> {
  const { raw: body, gzip, status, headers } = response;
  if (!crawl || !staging) return { content: body, gzip, body: client.parse(response) };
  const { id: crawlId, leaseToken: lease, cursor: requestCursor } = crawl;
  const head = { status, headers };
  const reply = await staging.stagePage({ crawlId, lease, requestCursor, request, head, body, gzip, isKept });
  if (reply.is === 'staged') return { content: reply };
  // A page that could not be parsed is parsed here again, for its error.
  const raw = Buffer.from(reply.body.buffer);
  return { content: raw, gzip: reply.gzip, body: client.parse({ ...response, raw }) };
}

/** After an unexpected error, the request counts as sent: it may have cost quota. */
const toServiceError = (error: unknown): ServiceError =>
  error instanceof ServiceError ? error : new ServiceError(describeError(error));
