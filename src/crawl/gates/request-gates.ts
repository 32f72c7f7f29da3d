import { MINUTE } from '#base/clock.ts';
import {
  BadRequestError,
  ContractError,
  NotFoundError,
  ServiceError,
  TransientError,
  UnauthorizedError,
} from '#base/errors.ts';
import type { EngineDependencies } from '#crawl/slice/engine-dependencies.ts';
import { isDiskError } from '#crawl/slice/failures/error-classes.ts';
import type { Governor } from '#service/quota/governor.ts';
import { RESERVATION_LIFE } from '#service/quota/ledger/ledger.ts';
import type { Pause } from '#service/quota/permits/pauses.ts';
import type { StoredCrawl } from '#store/schema/query-results.ts';
import type { Gate, GateHold } from './gates.ts';
import type { BreakerSession } from './outage/breaker.ts';

/** The ledger forgets a reservation that is not settled in time: a spare one is sent well before. */
const SPARE_LIFE = RESERVATION_LIFE / 2;
/** How long before a crawl's first failure another target's success shows that the service works. */
const RECENT_MS = MINUTE;

type Parts = Pick<EngineDependencies, 'governor' | 'budgets' | 'clock' | 'contact'>;

/** The slice whose requests are sent. */
interface GatedSlice {
  readonly session: BreakerSession;
  readonly signal: AbortSignal;
  /** When the crawl failed before, by its row before the slice; undefined if it has had a page since. */
  readonly failedAt: () => number | undefined;
}

export type RequestGates = ReturnType<typeof createRequestGates>;

/** The gates of a slice's requests: outage, budget and quota. `endPage` returns what was reserved for further requests of a page. */
export function createRequestGates(parts: Parts, crawl: StoredCrawl, slice: GatedSlice) {
  const quota = createQuotaGate(parts, crawl, slice.signal);
  const budget = crawl.runId === null ? [] : [createBudgetGate(parts, crawl.runId)];
  const all: readonly Gate[] = [createOutageGate(parts, slice), ...budget, quota.gate];
  return { all, endPage: quota.endPage };
}

/** The circuit breaker. A failure counts as the crawl's own only where other targets succeed (invariant 14). */
function createOutageGate({ contact }: Parts, { session, signal, failedAt }: GatedSlice): Gate {
  return async (endpoint) =>
    (await session.beginRequest(endpoint)) ??
    (async (error, { sentAt, isSent }) => {
      if (error === undefined && contact) contact.isFirst = false;
      if (isAnswer(error)) await session.reportSuccess(endpoint, sentAt, error === undefined);
      if (!(error instanceof TransientError) || signal.aborted) return undefined;
      const { message: why, retryAfterMs } = error;
      if (error.isForeign && contact?.isFirst) return { reason: 'outage', until: Infinity, error: why, stop: error };
      const failedBefore = failedAt() ?? sentAt - RECENT_MS;
      return await session.reportFailure({ endpoint, sentAt, isUnsent: !isSent, why, retryAfterMs, failedBefore });
    });
}

/** Whether a request shows that the service works. Refusals for quota or key do not. */
export const isAnswer = (error: unknown): boolean =>
  error === undefined || [NotFoundError, BadRequestError, ContractError].some((type) => error instanceof type);

/** The budget of the crawl's run. */
const createBudgetGate =
  ({ budgets }: Parts, runId: number): Gate =>
  async () => {
    const reserved = await budgets.reserve(runId);
    if (typeof reserved !== 'function') return reserved;
    return async (_, { isSent }) => {
      if (!isSent) reserved();
      return undefined;
    };
  };

/**
 * The quota of the key. If the first page ran out of it behind a request before, all requests that it then needed are reserved
 * together: otherwise a window that frees one request at a time would never let the page end.
 */
function createQuotaGate({ governor, clock }: Parts, { priority, checkpoint }: StoredCrawl, signal: AbortSignal) {
  let atOnce = checkpoint.requestsAtOnce ?? 1;
  let spare: readonly number[] = [];
  let reservedAt = 0;

  function endPage(): void {
    for (const id of spare) governor.settle(id, false);
    spare = [];
    atOnce = 1;
  }

  const gate: Gate = async () => {
    const age = clock.now() - reservedAt;
    if (spare.length > 0 && (age < 0 || age >= SPARE_LIFE)) endPage();
    if (spare.length === 0) {
      const grant = await governor.reserve(priority, signal, atOnce);
      if (!grant.granted) return toQuotaHold(grant);
      atOnce = 1;
      reservedAt = clock.now();
      spare = [grant.id, ...grant.spare];
    }
    const [id, ...others] = spare;
    spare = others;
    return async (error, { isSent }) => {
      governor.settle(id!, isSent);
      return error instanceof ServiceError ? await findRefusal(error, governor, signal) : undefined;
    };
  };
  return { gate, endPage };
}

/** Tells all workers of the key if it was refused, or if its quota is used up. */
async function findRefusal(
  error: ServiceError,
  governor: Governor,
  signal: AbortSignal,
): Promise<GateHold | undefined> {
  if (error instanceof UnauthorizedError) {
    await governor.reportDeadKey(signal);
    return holdForKey(error);
  }
  const quota = await governor.explainAsQuotaError(error, signal);
  if (!quota) return undefined;
  const until = await governor.reportRefusal(quota, signal);
  return toQuotaHold({ until, lookAt: until, reason: 'refused' });
}

const holdForKey = (stop: UnauthorizedError): GateHold => ({
  reason: 'unauthorized',
  until: Infinity,
  error: stop.message,
  stop,
});

/** The hold of a pause. `quota` also stands for a token-info that does not answer. */
function toQuotaHold({ reason, until: resumeAt, lookAt: until }: Pause): GateHold {
  if (reason === 'key_dead') return holdForKey(new UnauthorizedError('the API key was refused'));
  return { reason: reason === 'low' ? 'quota' : reason, until, resumeAt, isShared: true };
}

/** The gates of a slice: disk, quota and outage. They reserve nothing; the gates of its requests do. */
export const createSliceGates = (
  { disk, governor }: EngineDependencies,
  { priority }: StoredCrawl,
  session: BreakerSession,
  signal: AbortSignal,
): readonly Gate[] => [
  async () => disk.admitCrawl() ?? (async (error) => (isDiskError(error) ? disk.reportFailure(error) : undefined)),
  async () => {
    const pause = await governor.checkPause(priority, signal);
    return pause ? toQuotaHold(pause) : async () => undefined;
  },
  async (endpoint) => (await session.checkEndpoint(endpoint)) ?? session.close,
];
