import { createForgottenNames, type ForgottenNames } from '../../store/erasure/incoming/names.ts';
import { isShownInParts } from '../../store/erasure/incoming/page.ts';
import type { Tombstones } from '../../store/erasure/tombstones.ts';
import { COMMON_COLUMNS, type Fact, FACT_TABLES } from '../facts/fact-tables.ts';

const COLUMNS = Object.keys({ ...COMMON_COLUMNS, ...FACT_TABLES.bodies.columns });
const [PARAMETERS, HEADERS, BODY] = ['parameters', 'headers', 'body'].map((column) => COLUMNS.indexOf(column)) as [
  number,
  number,
  number,
];

/** Bodies have many ids, and what was found of each is kept in memory for so many bodies. */
const BODIES_PER_CACHE = 1000;

/**
 * Returns a function that returns whether the fact of a body shows forgotten accounts or their tweets: in the response, in its
 * headers, or in its request. A body is never changed.
 */
export function createBodyFilter(tombstones: Tombstones, tweets: ReadonlySet<string>): (fact: Fact) => boolean {
  let names: ForgottenNames;
  let count = 0;
  return (fact) => {
    if (count % BODIES_PER_CACHE === 0)
      names = createForgottenNames({
        ...tombstones,
        isForgottenAccount: (id) => tweets.has(id) || tombstones.isForgottenAccount(id),
      });
    count += 1;
    const parameters = fact[PARAMETERS] as string;
    const body = new TextDecoder().decode(fact[BODY] as Uint8Array);
    const values = Object.values(JSON.parse(parameters) as Readonly<Record<string, unknown>>);
    return (
      values.some((value) => names.isNamedIn(String(value))) ||
      isShownInParts([body, parameters, String(fact[HEADERS] ?? '')], names)
    );
  };
}
