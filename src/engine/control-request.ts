import type { EndpointName } from '../contract/endpoints.ts';
import { BadRequestError, ContractError, ForbiddenError, NotFoundError } from '../errors.ts';
import { parsePage } from '../normalise/parse-page.ts';
import type { Observation, Refusal } from '../store/schema/messages.ts';
import type { EngineQueries } from './engine-dependencies.ts';
import { HeldError } from './gates.ts';
import type { BreakerSession } from './outage/breaker.ts';
import type { ControlCause } from './outage/circuit.ts';

type Parameters = Readonly<Record<string, string>>;

interface ControlOptions {
  readonly queries: Pick<EngineQueries, 'findControl' | 'needsControl'>;
  readonly session: BreakerSession;
  /** Sends a request of its own, and resolves with its body. */
  readonly send: (endpoint: EndpointName, parameters: Record<string, string>) => Promise<unknown>;
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
    const endpoint = refusal.endpoint as Exclude<EndpointName, 'token-info'>;
    const control = await queries.findControl(refusal, skip);
    if (control === undefined) return undefined;
    try {
      const body = await send(endpoint, { [control.parameter]: control.value });
      addLookup(parsePage(body, { endpoint, value: control.value }).rows);
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
    async probe(endpoint: EndpointName, parameters: Parameters): Promise<void> {
      const { cause, failedProbes } = session.findProbedHold(endpoint) ?? {};
      if (cause === undefined) return;
      const refusal = toRefusal(endpoint, parameters, cause);
      // Without a target for it, the request itself is the probe.
      if ((await sendControl(refusal, (failedProbes ?? 0) + 1)) === false) await hold(endpoint, cause);
    },

    /**
     * Checks whether a refusal is about its target. A 404 needs a control request if the store says so, or if another
     * response contradicts it. @throws HeldError if it is not, or nothing shows that it is
     */
    async check(refusal: Refusal, isContradicted: boolean): Promise<void> {
      const { endpoint, cause } = refusal;
      const isNeeded = cause === 'forbidden' || isContradicted || (await queries.needsControl(refusal));
      if (!isNeeded) return;
      const isServed = await sendControl(refusal, 0);
      if (isServed === false || (isServed === undefined && cause === 'not_found')) await hold(endpoint, cause);
    },
  };
}

/** A refusal of a request, whose first parameter names the target. */
export const toRefusal = (endpoint: string, parameters: Parameters, cause: ControlCause): Refusal => ({
  endpoint,
  subject: Object.values(parameters)[0] ?? '',
  cause,
});
