import { UsageError } from '#base/errors.ts';

/** The values of an address: texts of users. */
export type AddressQuery = Readonly<Record<string, string | undefined>>;

/** Splits a list of values that are separated by commas; undefined if there is none. */
export function splitValues(text: string | undefined): string[] | undefined {
  const values = text?.split(',').filter((value) => value !== '');
  return values === undefined || values.length === 0 ? undefined : values;
}

/** Reads the values of a parameter, which has a list; undefined if there is none. @throws UsageError for an unknown one */
export function parseChoices<T extends string>(
  query: AddressQuery,
  name: string,
  choices: readonly T[],
): T[] | undefined {
  return splitValues(query[name])?.map((value) => {
    const choice = choices.find((one) => one === value);
    if (choice === undefined) throw new UsageError(`${name} must be one of ${choices.join(', ')}`);
    return choice;
  });
}

/** A position in a list: values, and the id last. */
type Position = readonly (number | string)[];

export const formatPosition = (position: Position | undefined): string | null =>
  position === undefined ? null : JSON.stringify(position);

/** @throws UsageError for a text that `formatPosition` did not return for a position of this length */
export function parsePosition<P extends Position>(text: string | undefined, length: P['length']): P | undefined {
  if (text === undefined) return undefined;
  try {
    const parts = JSON.parse(text) as Position;
    const arePlain = parts.every((part) => typeof part === 'number' || typeof part === 'string');
    if (parts.length === length && arePlain && Number.isSafeInteger(parts.at(-1))) return parts as P;
  } catch {
    // It is no JSON.
  }
  throw new UsageError('after must be a position that this server has sent');
}
