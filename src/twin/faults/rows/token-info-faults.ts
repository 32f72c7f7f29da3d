import { DAY, SECOND } from '#base/clock.ts';
import { toIso } from '#base/units.ts';
import type { JsonObject } from '#service/contract/json-body.ts';
import { integer, oneOf } from '#twin/faults/definition/fault-options.ts';
import { atEndpoints, defineFault } from '#twin/faults/definition/fault-row.ts';

/** Wrong values of token-info. */

/** Wrong reset times by form. `at` is the correct one; undefined removes the field. */
const RESET_TIMES: Readonly<Record<string, (at: number, now: number, seconds: number) => unknown>> = {
  skewed: (at, _, seconds) => toIso(at + seconds * SECOND),
  past: (_, now, seconds) => toIso(now - Math.abs(seconds) * SECOND),
  far: (_, now) => toIso(now + 3650 * DAY),
  absent: () => undefined,
  null: () => null,
  text: () => 'soon',
  seconds: (at) => Math.floor(at / SECOND),
  milliseconds: (at) => at,
};

export const tokenInfoRows = atEndpoints(['token-info'], {
  'token-info-lies': defineFault({
    description: 'token-info reports more or fewer remaining requests than there are.',
    outcome: 'same',
    options: {
      by: integer([-1_000_000, 1_000_000], 100, 'an integer: 100 for 100 more, -100 for 100 fewer'),
    },
    changePage({ data }, { options: { by } }) {
      data['remaining'] = Math.min(Math.max(0, Number(data['remaining']) + by), Number(data['app_limit']));
      return true;
    },
  }),
  'token-info-lags': defineFault({
    description: 'token-info returns an outdated response.',
    outcome: 'same',
    options: {
      by: integer([1, 1000], 1, 'the age of the response in requests for token-info, from 1 to 1000'),
    },
    createState: () => ({ responses: [] as JsonObject[] }),
    changePage({ data }, { isTriggered, options: { by }, state }) {
      state.responses = [...state.responses, { ...data }].slice(-by - 1);
      if (!isTriggered || state.responses.length < 2) return false;
      for (const field of ['remaining', 'reset_at', 'request_history']) data[field] = state.responses[0]![field];
      return true;
    },
  }),
  'reset-at': defineFault({
    description: 'token-info has a wrong reset time, none, or one as a number.',
    outcome: 'same',
    options: {
      as: oneOf(Object.keys(RESET_TIMES), 'skewed'),
      seconds: integer([-1_000_000_000, 1_000_000_000], 3600, 'the deviation in seconds'),
    },
    changePage({ data }, { request: { now }, options: { as, seconds } }) {
      const at = typeof data['reset_at'] === 'string' ? Date.parse(data['reset_at']) : Number.NaN;
      const value = RESET_TIMES[as]!(Number.isNaN(at) ? now : at, now, seconds);
      if (value === undefined) delete data['reset_at'];
      else data['reset_at'] = value;
      return true;
    },
  }),
});
