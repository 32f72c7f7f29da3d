import { BadRequestError, ContractError, ForbiddenError, NotFoundError } from '../../base/errors.ts';
import { needsControl } from '../../service/kinds/final-end.ts';
import type { PageRequest } from '../../store/normalise/parse-page.ts';
import type { Observation, Refusal } from '../../store/schema/messages.ts';
import { HeldError } from '../gates/gates.ts';
import type { BreakerSession } from '../gates/outage/breaker.ts';
import type { ControlCause } from '../gates/outage/circuit.ts';
import type { EngineQueries } from '../slice/engine-dependencies.ts';
import type { ParsedPage } from './fetched-response.ts';

interface ControlOptions {
  readonly queries: Pick<EngineQueries, 'findControl' | 'countUnchecked'>;
  readonly session: BreakerSession;
  /** Sends a request of its own. */
  readonly send: (request: PageRequest) => Promise<ParsedPage>;
  readonly addLookup: (rows: Observation['rows']) => void;
  readonly now: () => number;
}

const WHY: Readonly<Record<ControlCause, string>> = {
  forbidden: 'a control request was answered with 403, too',
  not_found: 'no control request was served after 404s, and nothing counts as gone',
};

/**
 * Control requests of a page (invariants 7 and 14). A refusal is about its target only if the endpoint still serves another
 * one, which the store chooses. If the control request fails, too, the endpoint is held, and control requests probe it.
 */
export function createControlRequests({ queries, session, send, addLookup, now }: ControlOptions) {
  /**
   * Sends a control request. Returns whether the endpoint served it; undefined if there is no target for it.
   * @param skip how many targets were tried before
   */
  async function sendControl(refusal: Refusal, skip: number): Promise<boolean | undefined> {
    const endpoint = refusal.endpoint as PageRequest['endpoint'];
    const value = await queries.findControl(refusal, skip);
    if (value === undefined) return undefined;
    try {
      addLookup((await send({ endpoint, value })).rows);
      return true;
    } catch (error) {
      if (error instanceof ForbiddenError) return false;
      // The key is not refused.
      const isAnswer = [NotFoundError, BadRequestError, ContractError].some((type) => error instanceof type);
      if (isAnswer) return refusal.cause === 'forbidden';
      throw error;
    }
  }

  /** Holds an endpoint back. @throws HeldError */
  async function hold(endpoint: string, cause: ControlCause): Promise<never> {
    const why = `${endpoint}: ${WHY[cause]}`;
    const sentAt = now();
    const failure = { endpoint, sentAt, isUnsent: false, why, failedBefore: sentAt, cause };
    throw new HeldError((await session.reportFailure(failure))!);
  }

  return {
    /** Before a request: sends a control request first if this session probes the endpoint by one. @throws HeldError */
    async probe(request: PageRequest): Promise<void> {
      const { endpoint } = request;
      const { cause, failedProbes } = session.findProbedHold(endpoint) ?? {};
      if (cause === undefined) return;
      const refusal = toRefusal(request, cause);
      // Without a target for it, the request itself is the probe.
      if ((await sendControl(refusal, (failedProbes ?? 0) + 1)) === false) await hold(endpoint, cause);
    },

    /**
     * Checks whether a refusal is about its target. A 404 needs a control request after others, or if another response
     * contradicts it. @throws HeldError if it is not, or nothing shows that it is
     */
    async check(refusal: Refusal, isContradicted: boolean): Promise<void> {
      const { endpoint, cause } = refusal;
      const isNeeded = cause === 'forbidden' || isContradicted || needsControl(await queries.countUnchecked(refusal));
      if (!isNeeded) return;
      const isServed = await sendControl(refusal, 0);
      if (isServed === false || (isServed === undefined && cause === 'not_found')) await hold(endpoint, cause);
    },
  };
}

export const toRefusal = ({ endpoint, value: subject }: PageRequest, cause: ControlCause): Refusal => ({
  endpoint,
  subject,
  cause,
});
