import Type, { type Static } from 'typebox';
import type { SeededRandom } from '../../../base/seeded-random.ts';
import { type EndpointName, endpointTable } from '../../../service/contract/endpoints.ts';

/** The conditions of a rule. All given conditions have to hold; a rule without conditions always applies. */

export const ENDPOINT_NAMES = Object.keys(endpointTable) as EndpointName[];

const closed = { additionalProperties: false } as const;
const wholeNumber = (minimum: number, description: string) =>
  Type.Integer({ minimum, maximum: 1_000_000_000, description });

export const conditionProperties = {
  endpoints: Type.Optional(
    Type.Array(Type.Enum(ENDPOINT_NAMES), {
      minItems: 1,
      description: `a list of ${ENDPOINT_NAMES.join(', ')} (default: all that the fault applies to)`,
    }),
  ),
  rate: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'the share of requests, from 0 to 1; chosen by the seed' }),
  ),
  every: Type.Optional(wholeNumber(1, 'an integer from 1: 10 is the 10th, the 20th and so on')),
  at: Type.Optional(
    Type.Array(wholeNumber(1, 'an integer from 1'), {
      minItems: 1,
      description: 'a list of requests such as [3, 7]',
    }),
  ),
  after: Type.Optional(wholeNumber(0, 'an integer from 0: 5 is from the 6th request on')),
  until: Type.Optional(wholeNumber(1, 'an integer from 1: 20 is up to the 20th request')),
  burst: Type.Optional(
    Type.Object(
      {
        every: wholeNumber(1, 'an integer from 1: 50 is at the 50th, the 100th and so on'),
        length: wholeNumber(1, 'an integer from 1: the number of requests in a row'),
      },
      { ...closed, description: 'every: and length:, such as { every: 50, length: 3 }' },
    ),
  ),
  pages: Type.Optional(
    Type.Enum(['first', 'next'], { description: 'first (requests without a cursor) or next (those with one)' }),
  ),
  count: Type.Optional(
    Type.Enum(['target', 'endpoint', 'key'], {
      description:
        'target (counts the requests of each endpoint and target separately), endpoint, or key (counts all requests of a key)',
    }),
  ),
};

const whenSchema = Type.Object(conditionProperties);
export type FaultCondition = Static<typeof whenSchema>;

/** Returns whether the n-th request that a rule counts triggers its fault. Random numbers are drawn for `rate` only. */
export function isTriggeredAt(when: FaultCondition, n: number, random: () => SeededRandom): boolean {
  const { rate, every, at, after = 0, until = Infinity, burst } = when;
  if (n <= after || n > until) return false;
  if (every !== undefined && n % every !== 0) return false;
  if (at && !at.includes(n)) return false;
  if (burst && (n < burst.every || n % burst.every >= burst.length)) return false;
  return rate === undefined || random().chance(rate);
}
