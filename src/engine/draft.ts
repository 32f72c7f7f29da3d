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
import { bodyHash } from '../store/journal/raw-bodies.ts';
import type { CrawlRow, Observation, PageCommit, RequestEntry, ServedPage } from '../store/schema/messages.ts';
import { NO_ROWS, type PageRows } from '../store/schema/rows.ts';
import type { EngineDependencies } from './engine-dependencies.ts';
import type { BreakerSession } from './outage/breaker.ts';

/**
 * What a step gathers before its one commit: the rows, and an account of every request it sent, also of those that
 * failed. Whoever catches a step's error still finds the account here.
 */
export interface Draft {
  /** When the latest answer was asked for. */
  at: number;
  /** Cuts short what is under way. */
  readonly signal: AbortSignal;
  /** What the page showed, and when it was asked for. */
  page: Observation | undefined;
  /** What other answers showed: worth having, whatever becomes of the page. */
  readonly beside: Observation[];
  readonly requests: RequestEntry[];
  readonly raw: ServedPage[];
  /** The request that got no answer of the service, or one that is to be had again later. */
  unanswered: Unanswered | undefined;
  /** The endpoints that answered with something to keep, whether or not bodies are kept. */
  readonly answers: EndpointName[];
  /** Whose the handles are that were asked for, in the form that is compared; undefined is nobody's. */
  readonly holders: Map<string, string | undefined>;
  /**
   * Sends one request, reserved before it is sent and settled whatever comes back (invariant 8), unless an equal one is under
   * way that was begun at `since` or later: then its answer is taken. Resolves with the parsed body.
   * @throws PausedError when there is no quota, OutageError while the circuit breaker holds requests back, ServiceError
   * when the answer is not a page.
   */
  ask(endpoint: EndpointName, parameters: Record<string, string>, since?: number): Promise<unknown>;
  /** SHA-256 of the latest answer's body. */
  hash(): string;
}

/** A request that failed for what may be wrong with the service. */
export interface Unanswered {
  readonly endpoint: EndpointName;
  readonly sentAt: number;
  readonly error: TransientError;
}

/** A draft for a crawl: what it asks is spent from what its class and its run may spend. */
export function createDraft(
  ports: EngineDependencies,
  { class: as, runId }: Pick<CrawlRow, 'class' | 'runId'>,
  passage: BreakerSession,
  signal: AbortSignal,
): Draft {
  const { client, governor, budgets, flights, clock, keepRaw } = ports;
  const requests: RequestEntry[] = [];
  const raw: ServedPage[] = [];
  const answers: EndpointName[] = [];
  let latest: Uint8Array = Buffer.alloc(0);
  const draft: Draft = {
    ...{ at: clock.now(), signal, page: undefined, beside: [], requests, raw, answers, ask, hash },
    unanswered: undefined,
    holders: new Map(),
  };
  return draft;

  async function ask(endpoint: EndpointName, parameters: Record<string, string>, since = -Infinity): Promise<unknown> {
    const landed = await flights.coalesce({ endpoint, parameters, since }, () => send(endpoint, parameters));
    const { at } = landed;
    draft.at = at;
    // "Does not exist" is evidence too.
    if ('notFound' in landed) keep(404, Buffer.from(landed.notFound.body ?? ''));
    else keep(landed.status, landed.raw);
    if ('notFound' in landed) throw landed.notFound;
    return landed.body;

    function keep(status: number, body: Uint8Array): void {
      answers.push(endpoint);
      latest = body;
      if (keepRaw) raw.push({ endpoint, parameters: JSON.stringify(parameters), status, fetchedAt: at, body });
    }
  }

  function hash(): string {
    const found = bodyHash(latest);
    // What is kept of the answer need not be hashed again.
    const last = raw.at(-1);
    if (last?.body === latest) raw[raw.length - 1] = { ...last, hash: found };
    return found;
  }

  async function send(endpoint: EndpointName, parameters: Record<string, string>): Promise<CoalescedResponse> {
    const hold = await passage.beginRequest(endpoint);
    if (hold) throw new OutageError(hold);
    const putBack = budgets.reserve(runId);
    const grant = await reserve().catch((error: unknown) => {
      putBack();
      throw error;
    });
    const at = clock.now();
    draft.at = at;
    let sent = true;
    try {
      const { status, ms, bytes, raw: served, body } = await client.fetch(endpoint, parameters, signal);
      requests.push({ endpoint, at, status, ms, bytes });
      await passage.reportSuccess(endpoint, at);
      return { at, status, raw: served, body };
    } catch (error) {
      // Whatever else it is, the request may have left; one that never did is not in the account of the quota.
      const failure = error instanceof ServiceError ? error : new ServiceError(describeError(error));
      sent = failure.sent;
      const { status, body = '', message } = failure;
      if (sent) {
        const ms = failure.ms ?? clock.now() - at;
        requests.push({
          endpoint,
          at,
          status: status ?? null,
          ms,
          bytes: Buffer.byteLength(body),
          error: body || message,
        });
      }
      if (error instanceof TransientError) draft.unanswered = { endpoint, sentAt: at, error };
      if (isAnswer(error)) await passage.reportSuccess(endpoint, at);
      if (error instanceof NotFoundError) return { at, notFound: error };
      throw error;
    } finally {
      governor.settle(grant.id, sent);
      if (!sent) putBack();
    }
  }

  async function reserve() {
    const grant = await governor.reserve(as, signal);
    if (grant.granted) return grant;
    throw new PausedError(grant);
  }
}

/** Whether a failed request shows that the service works. What a quota or a key refuses says nothing of that. */
const isAnswer = (error: unknown): boolean =>
  error instanceof NotFoundError || error instanceof BadRequestError || error instanceof ContractError;

/** What the latest answer showed. */
export const observation = ({ at, answers }: Draft, rows: PageRows): Observation => ({
  ...{ at, rows, answer: answers.length - 1 },
});

/** Adds what the latest answer showed besides the page. */
export function addRows(draft: Draft, rows: PageRows): void {
  draft.beside.push(observation(draft, rows));
}

/** What of a draft is stored, whatever becomes of its crawl. */
export function observed({
  at,
  page,
  beside,
  requests,
  answers,
}: Draft): Pick<PageCommit, 'at' | 'rows' | 'answer' | 'beside' | 'requests' | 'answers'> {
  return { ...(page ?? { at, rows: NO_ROWS }), beside, requests, answers };
}
