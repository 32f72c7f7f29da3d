import Type, { type Static } from 'typebox';
import { type EndpointName, endpointTable } from '../contract/endpoints.ts';
import type { SeededRandom } from '../seeded-random.ts';

/** When a rule strikes. Conditions that are given together have to hold together; a rule with none strikes always. */

export const ENDPOINT_NAMES = Object.keys(endpointTable) as EndpointName[];

const COUNT_SCOPES = ['target', 'endpoint', 'key'] as const;
export type CountScope = (typeof COUNT_SCOPES)[number];

const closed = { additionalProperties: false } as const;
const wholeNumber = (minimum: number, description: string) =>
  Type.Integer({ minimum, maximum: 1_000_000_000, description });

export const conditionProperties = {
  endpoints: Type.Optional(
    Type.Array(Type.Enum(ENDPOINT_NAMES), {
      minItems: 1,
      description: `a list of ${ENDPOINT_NAMES.join(', ')} (default: wherever the fault means anything)`,
    }),
  ),
  rate: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'a share of the requests from 0 to 1, drawn by the seed' }),
  ),
  every: Type.Optional(wholeNumber(1, 'a whole number from 1 up: 10 is the 10th, the 20th and so on')),
  at: Type.Optional(
    Type.Array(wholeNumber(1, 'a whole number from 1 up'), {
      minItems: 1,
      description: 'a list of requests such as [3, 7]',
    }),
  ),
  after: Type.Optional(wholeNumber(0, 'a whole number from 0 up: 5 is from the 6th request on')),
  until: Type.Optional(wholeNumber(1, 'a whole number from 1 up: 20 is up to the 20th request')),
  burst: Type.Optional(
    Type.Object(
      {
        every: wholeNumber(1, 'a whole number from 1 up: 50 is at the 50th, the 100th and so on'),
        length: wholeNumber(1, 'a whole number from 1 up: so many requests in a row'),
      },
      { ...closed, description: 'every: and length:, such as { every: 50, length: 3 }' },
    ),
  ),
  pages: Type.Optional(
    Type.Enum(['first', 'next'], { description: 'first (requests without a cursor) or next (those with one)' }),
  ),
  count: Type.Optional(
    Type.Enum([...COUNT_SCOPES], {
      description:
        'target (the requests of each endpoint and target are counted apart), endpoint, or key (all that a key asks)',
    }),
  ),
};

const whenSchema = Type.Object(conditionProperties);
export type FaultCondition = Static<typeof whenSchema>;

/** Whether the n-th of the requests that a rule counts is struck. The dice are thrown for `rate` alone. */
export function isTriggeredAt(when: FaultCondition, n: number, random: () => SeededRandom): boolean {
  const { rate, every, at, after = 0, until = Infinity, burst } = when;
  if (n <= after || n > until) return false;
  if (every !== undefined && n % every !== 0) return false;
  if (at && !at.includes(n)) return false;
  if (burst && (n < burst.every || n % burst.every >= burst.length)) return false;
  return rate === undefined || random().chance(rate);
}
