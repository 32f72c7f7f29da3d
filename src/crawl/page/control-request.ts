import { ForbiddenError, NotFoundError } from '#base/errors.ts';
import { HeldError } from '#crawl/gates/gates.ts';
import type { ControlCause } from '#crawl/gates/outage/breaker-policy.ts';
import type { BreakerSession } from '#crawl/gates/outage/breaker.ts';
import { isAnswer } from '#crawl/gates/request-gates.ts';
import type { EngineQueries } from '#crawl/slice/engine-dependencies.ts';
import { needsControl } from '#service/kinds/decide-end.ts';
import type { PageRequest, ParsedPage } from '#store/normalise/parse-page.ts';
import type { Refusal } from '#store/schema/commit-messages.ts';
import type { PageRecorder } from './page-record.ts';

/**
 * Control requests of a page (invariants 7 and 14). A refusal is about its target only if the endpoint still serves another
 * one, which the store chooses. If the control request fails, too, the endpoint is held, and control requests probe it.
 */

interface ControlOptions {
  readonly queries: Pick<EngineQueries, 'findControl' | 'countUnchecked'>;
  readonly session: BreakerSession;
  /** Sends a request of its own. */
  readonly sendControl: (request: PageRequest) => Promise<ParsedPage>;
  readonly record: PageRecorder;
  readonly now: () => number;
}

const WHY: Readonly<Record<ControlCause, string>> = {
  forbidden: 'a control request was answered with 403, too',
  not_found: 'no control request was served after 404s, and nothing counts as gone',
};

/**
 * Runs a function that sends a request, after a control request if this session probes the endpoint by one. Records a 403 or
 * 404. @throws HeldError
 */
export async function sendChecked<T>(options: ControlOptions, request: PageRequest, run: () => Promise<T>): Promise<T> {
  const { session, record } = options;
  const { cause, failedProbes = 0 } = session.findProbedCircuit(request.endpoint) ?? {};
  if (cause !== undefined) {
    const probed = toRefusal(request, cause);
    // Without a target for it, the request itself is the probe.
    if ((await isServed(options, probed, failedProbes + 1)) === false) await hold(options, probed);
  }
  try {
    return await run();
  } catch (error) {
    if (error instanceof NotFoundError) record.refusal = toRefusal(request, 'not_found');
    if (error instanceof ForbiddenError) record.refusal = toRefusal(request, 'forbidden');
    throw error;
  }
}

/**
 * Checks by a control request whether the last 403 or 404 is about its target: a 403 always, a 404 if it is contradicted or
 * follows others. The time of the page stays that of the refusal.
 * @param isContradicted another response contradicts a 404
 * @throws HeldError if it is not, or nothing shows that it is
 */
export async function checkRefusal(options: ControlOptions, isContradicted = false): Promise<void> {
  const { queries, record } = options;
  const { at, refusal, requests } = record;
  if (!refusal) return;
  const { endpoint, cause } = refusal;
  if (cause === 'not_found' && requests.some((one) => one.endpoint === endpoint && one.status === 200)) return;
  const isNeeded = cause === 'forbidden' || isContradicted || needsControl(await queries.countUnchecked(refusal));
  if (!isNeeded) return;
  const isControlServed = await isServed(options, refusal, 0);
  if (isControlServed === false || (isControlServed === undefined && cause === 'not_found'))
    await hold(options, refusal);
  record.at = at;
}

/**
 * Sends a control request. Returns whether the endpoint served it; undefined if there is no target for it.
 * @param skip how many targets were tried before
 */
async function isServed(
  { queries, sendControl, record }: ControlOptions,
  to: Refusal,
  skip: number,
): Promise<boolean | undefined> {
  const endpoint = to.endpoint as PageRequest['endpoint'];
  const value = await queries.findControl(to, skip);
  if (value === undefined) return undefined;
  try {
    record.addLookup((await sendControl({ endpoint, value })).rows);
    return true;
  } catch (error) {
    if (error instanceof ForbiddenError) return false;
    // The key is not refused.
    if (isAnswer(error)) return to.cause === 'forbidden';
    throw error;
  }
}

/** Holds an endpoint back. @throws HeldError */
async function hold({ session, now }: ControlOptions, { endpoint, cause }: Refusal): Promise<never> {
  const why = `${endpoint}: ${WHY[cause]}`;
  const sentAt = now();
  const failure = { endpoint, sentAt, isUnsent: false, why, failedBefore: sentAt, cause };
  throw new HeldError((await session.reportFailure(failure))!);
}

const toRefusal = ({ endpoint, value: subject }: PageRequest, cause: ControlCause): Refusal => ({
  endpoint,
  subject,
  cause,
});
