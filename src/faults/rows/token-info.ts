import Type from 'typebox';
import { DAY, SECOND } from '../../clock.ts';
import type { JsonObject } from '../../contract/json.ts';
import { defineFault } from '../fault-row.ts';

/** What token-info says, and is not so. */

const TOKEN_INFO = ['token-info'] as const;
const FORMS = ['skewed', 'past', 'far', 'absent', 'null', 'text', 'seconds', 'milliseconds'];

const timeOf = (value: unknown, fallback: number): number => {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? fallback : time;
};

export const tokenInfoRows = {
  'token-info-lies': defineFault({
    description: 'token-info says that more, or fewer, requests are left than are.',
    outcome: 'same',
    endpoints: TOKEN_INFO,
    options: Type.Object({
      by: Type.Integer({
        minimum: -1_000_000,
        maximum: 1_000_000,
        default: 100,
        description: 'a whole number: 100 more than are left, or -100 for fewer',
      }),
    }),
    changePage({ data }, { options: { by } }) {
      data['remaining'] = Math.min(Math.max(0, Number(data['remaining']) + by), Number(data['app_limit']));
      return true;
    },
  }),
  'token-info-lags': defineFault({
    description: 'token-info answers what it would have answered some requests ago.',
    outcome: 'same',
    endpoints: TOKEN_INFO,
    options: Type.Object({
      by: Type.Integer({
        minimum: 1,
        maximum: 1000,
        default: 1,
        description: 'how many requests for token-info ago, from 1 to 1000',
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
    description: 'token-info gives a wrong time at which the quota resets, none, or the time as a number.',
    outcome: 'same',
    endpoints: TOKEN_INFO,
    options: Type.Object({
      as: Type.Enum(FORMS, { default: 'skewed', description: `one of ${FORMS.join(', ')}` }),
      seconds: Type.Integer({
        minimum: -1_000_000_000,
        maximum: 1_000_000_000,
        default: 3600,
        description: 'how far it is skewed, or in the past; in seconds',
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
