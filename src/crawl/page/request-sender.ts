import { describeError, NotFoundError, ServiceError } from '../../base/errors.ts';
import type { ServiceResponse } from '../../service/client/client.ts';
import type { ClaimResponse } from '../../service/client/request-coalescing.ts';
import { targetParameterName } from '../../service/contract/endpoints.ts';
import type { PageRequest } from '../../store/normalise/parse-page.ts';
import type { StoredCrawl } from '../../store/schema/query-results.ts';
import { type Gate, passGates } from '../gates/gates.ts';
import type { EngineDependencies } from '../slice/engine-dependencies.ts';
import type { FetchedResponse, ResponseContent } from './fetched-response.ts';
import type { PageRecorder } from './page-record.ts';

export interface SendOptions {
  /** The earliest time at which the response may have been requested, milliseconds UTC. */
  readonly since: number;
  /** Send the request by POST in any case: caches answer GET. */
  readonly byPost?: boolean | undefined;
  /** The crawl whose page is requested. The page is staged where possible; other responses are parsed here. */
  readonly crawl?: StoredCrawl | undefined;
}

/** What the requests of one page are sent with, and recorded in. */
interface Sender extends Pick<EngineDependencies, 'client' | 'coalescer' | 'clock' | 'staging' | 'keepRaw'> {
  readonly gates: readonly Gate[];
  readonly signal: AbortSignal;
  readonly record: PageRecorder;
}

interface FetchOptions extends Omit<SendOptions, 'since'> {
  readonly parameters: Readonly<Record<string, string>>;
  readonly claim: ClaimResponse;
}

type Response = Exclude<FetchedResponse, { notFound: NotFoundError }>;

/**
 * Sends a request through the gates of its page, or takes the response of an equal request in flight that began at `since` or
 * later. Records both. @throws HeldError, ServiceError if the response is not a page
 */
export async function sendThroughGates(sender: Sender, request: PageRequest, options: SendOptions): Promise<Response> {
  const { coalescer, record } = sender;
  const { endpoint, value } = request;
  const { since, crawl } = options;
  const cursor = crawl?.cursor ?? null;
  const parameters = { [targetParameterName(endpoint)]: value, ...(cursor === null ? {} : { cursor }) };
  const send = (claim: ClaimResponse) => fetchResponse(sender, request, { ...options, parameters, claim });
  const response = await coalescer.coalesce({ endpoint, parameters, since }, send);
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
  { crawl, claim }: FetchOptions,
): Promise<ResponseContent> {
  const { raw: body, gzip, status, headers } = response;
  // A buffer that another crawl waits for is not moved to another thread.
  if (!crawl || !staging || !claim()) return { content: body, gzip, body: client.parse(response) };
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
