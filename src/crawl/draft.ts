import type { EndpointName } from '../contract/endpoints.ts';
import { PausedError, ServiceError } from '../errors.ts';
import type { CrawlRow, Observation, PageCommit, RequestEntry, ServedPage } from '../store/messages.ts';
import { NO_ROWS, type PageRows } from '../store/rows.ts';
import type { CrawlPorts } from './ports.ts';

/**
 * What a step gathers before its one commit: the rows, and an account of every request it sent, also of those that
 * failed. Whoever catches a step's error still finds the account here.
 */
export interface Draft {
  /** When the latest answer was asked for. */
  at: number;
  /** What the page showed, and when it was asked for. */
  page: Observation | undefined;
  /** What other answers showed: worth having, whatever becomes of the page. */
  readonly beside: Observation[];
  readonly requests: RequestEntry[];
  readonly raw: ServedPage[];
  /** The endpoints that answered with something to keep, whether or not bodies are kept. */
  readonly answers: EndpointName[];
  /**
   * Sends one request, reserved before it is sent and settled whatever comes back (law 8). Resolves with the parsed body.
   * @throws PausedError when there is no quota, ServiceError when the answer is not a page.
   */
  ask(endpoint: EndpointName, parameters: Record<string, string>): Promise<unknown>;
}

/** A draft for a crawl: what it asks is spent from what its class and its run may spend. */
export function createDraft(
  ports: CrawlPorts,
  { class: as, runId }: Pick<CrawlRow, 'class' | 'runId'>,
  signal: AbortSignal,
): Draft {
  const { client, governor, budgets, clock, keepRaw } = ports;
  const requests: RequestEntry[] = [];
  const raw: ServedPage[] = [];
  const answers: EndpointName[] = [];
  const draft: Draft = { at: clock.now(), page: undefined, beside: [], requests, raw, answers, ask };
  return draft;

  async function ask(endpoint: EndpointName, parameters: Record<string, string>): Promise<unknown> {
    const putBack = budgets.take(runId);
    const grant = await reserve().catch((error: unknown) => {
      putBack();
      throw error;
    });
    const at = clock.now();
    draft.at = at;
    const keep = (status: number, body: Uint8Array) => {
      answers.push(endpoint);
      if (keepRaw) raw.push({ endpoint, parameters: JSON.stringify(parameters), status, fetchedAt: at, body });
    };
    let sent = true;
    try {
      const { status, ms, bytes, raw: served, body } = await client.fetch(endpoint, parameters, signal);
      requests.push({ endpoint, at, status, ms, bytes });
      keep(status, served);
      return body;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      // A request that never left is not in the account of the quota.
      sent = error.sent ?? true;
      const { status, body = '' } = error;
      if (sent) {
        const ms = error.ms ?? clock.now() - at;
        requests.push({
          endpoint,
          at,
          status: status ?? null,
          ms,
          bytes: Buffer.byteLength(body),
          error: body || error.message,
        });
      }
      // "Does not exist" is evidence too.
      if (status === 404) keep(status, Buffer.from(body));
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
