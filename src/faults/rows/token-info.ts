import Type from 'typebox';
import { DAY, SECOND } from '../../clock.ts';
import type { JsonObject } from '../../contract/json.ts';
import { defineFault } from '../fault-row.ts';

/** Wrong values of token-info. */

const TOKEN_INFO = ['token-info'] as const;
const FORMS = ['skewed', 'past', 'far', 'absent', 'null', 'text', 'seconds', 'milliseconds'];

const timeOf = (value: unknown, fallback: number): number => {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? fallback : time;
};

export const tokenInfoRows = {
  'token-info-lies': defineFault({
    description: 'token-info reports more or fewer remaining requests than there are.',
    outcome: 'same',
    endpoints: TOKEN_INFO,
    options: Type.Object({
      by: Type.Integer({
        minimum: -1_000_000,
        maximum: 1_000_000,
        default: 100,
        description: 'an integer: 100 for 100 more, -100 for 100 fewer',
      }),
    }),
    changePage({ data }, { options: { by } }) {
      data['remaining'] = Math.min(Math.max(0, Number(data['remaining']) + by), Number(data['app_limit']));
      return true;
    },
  }),
  'token-info-lags': defineFault({
    description: 'token-info returns an outdated response.',
    outcome: 'same',
    endpoints: TOKEN_INFO,
    options: Type.Object({
      by: Type.Integer({
        minimum: 1,
        maximum: 1000,
        default: 1,
        description: 'the age of the response in requests for token-info, from 1 to 1000',
      }),
    }),
    createState: () => ({ said: [] as JsonObject[] }),
    changePage({ data }, { isTriggered, options: { by }, state }) {
      state.said = [...state.said, { ...data }].slice(-by - 1);
      if (!isTriggered || state.said.length < 2) return false;
      for (const field of ['remaining', 'reset_at', 'request_history']) data[field] = state.said[0]![field];
      return true;
    },
  }),
  'reset-at': defineFault({
    description: 'token-info has a wrong reset time, none, or one as a number.',
    outcome: 'same',
    endpoints: TOKEN_INFO,
    options: Type.Object({
      as: Type.Enum(FORMS, { default: 'skewed', description: `one of ${FORMS.join(', ')}` }),
      seconds: Type.Integer({
        minimum: -1_000_000_000,
        maximum: 1_000_000_000,
        default: 3600,
        description: 'the deviation in seconds',
      }),
    }),
    changePage({ data }, { request: { now }, options: { as, seconds } }) {
      const time = (ms: number): string => new Date(ms).toISOString();
      const forms: Record<string, unknown> = {
        skewed: time(timeOf(data['reset_at'], now) + seconds * SECOND),
        past: time(now - Math.abs(seconds) * SECOND),
        far: time(now + 3650 * DAY),
        null: null,
        text: 'soon',
        seconds: Math.floor(timeOf(data['reset_at'], now) / SECOND),
        milliseconds: timeOf(data['reset_at'], now),
      };
      if (as === 'absent') delete data['reset_at'];
      else data['reset_at'] = forms[as];
      return true;
    },
  }),
};
