import { parseAge, parseDayOrTime, resolveAge } from '../../base/clock.ts';
import { UsageError } from '../../base/errors.ts';
import { NAME_PATTERN } from '../../base/text.ts';
import { toIso } from '../../base/units.ts';
import { parseTarget } from '../../service/kinds/target.ts';
import type { ParameterType, QueryParameter } from './saved-query.ts';

/** A value as a statement gets it: integers are bigints, since the driver binds numbers as floating-point values. */
export type BoundValue = string | bigint | null;

/** A value, or the description of a valid one. */
export type ParsedValue =
  | { readonly value: BoundValue; readonly fault?: undefined }
  | { readonly value?: undefined; readonly fault: string };

/** How a type of parameter is read and described. */
interface ValueForm {
  /** Undefined if the text is no such value. @param now for ages, in milliseconds UTC */
  parse(text: string, parameter: QueryParameter, now: number): BoundValue | undefined;
  describe(parameter: QueryParameter): string;
}

const readTarget = (type: 'account' | 'tweet' | 'query', text: string): string | undefined => {
  try {
    return parseTarget('a query', type, text).target;
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
};

/** A target of crawls, in its canonical form. */
const target = (type: 'account' | 'tweet' | 'query', description: string): ValueForm => ({
  parse: (text) => readTarget(type, text),
  describe: () => description,
});

/** The name of a job or a panel. */
const name = (description: string): ValueForm => ({
  parse: (text) => (new RegExp(NAME_PATTERN).test(text) ? text : undefined),
  describe: () => `${description}: letters, digits, - and _`,
});

const FORMS: Readonly<Record<ParameterType, ValueForm>> = {
  account: target('account', 'an account: nasa, @nasa, id:11348282 or the address of its profile'),
  tweet: target('tweet', 'a tweet: its id or its address'),
  search: target('query', 'a search string of at most 512 characters'),
  job: name('the name of a job'),
  panel: name('the name of a panel'),
  text: { parse: (text) => text.toWellFormed(), describe: () => 'a text' },
  time: {
    parse(text, _, now) {
      const age = parseAge(text);
      const at = age === undefined ? parseDayOrTime(text) : resolveAge(now, age);
      return at === undefined || at < MIN_TIME || at > MAX_TIME ? undefined : toIso(at);
    },
    describe: () => 'a day such as 2024-01-31, a time such as 2024-01-31T12:00:00Z, or an age such as 24h or 30d',
  },
  integer: {
    parse(text, { min = -Infinity, max = Infinity }) {
      const value = Number(text);
      return /^[+-]?\d+$/.test(text) && Number.isSafeInteger(value) && value >= min && value <= max
        ? BigInt(value)
        : undefined;
    },
    describe: ({ min, max }) =>
      [
        'a whole number',
        ...(min === undefined ? [] : [`from ${min}`]),
        ...(max === undefined ? [] : [`to ${max}`]),
      ].join(' '),
  },
  choice: {
    parse: (text, { values = [] }) => (values.includes(text) ? text : undefined),
    describe: ({ values = [] }) => `one of ${values.join(', ')}`,
  },
};

/** The times whose year has four digits. */
const [MIN_TIME, MAX_TIME] = [Date.parse('0000-01-01'), Date.parse('9999-12-31')];

/** Reads a value as it was typed. @param now for ages, in milliseconds UTC */
export function parseValue(parameter: QueryParameter, typed: string | number, now: number): ParsedValue {
  const value = FORMS[parameter.type].parse(String(typed), parameter, now);
  return value === undefined ? { fault: describeValue(parameter) } : { value };
}

/** Describes a valid value: `a whole number from 1`. */
export const describeValue = (parameter: QueryParameter): string => FORMS[parameter.type].describe(parameter);

/** The names of the parameters that need a value. */
export const listRequired = (parameters: readonly QueryParameter[]): string[] =>
  parameters.filter((parameter) => parameter.default === undefined).map((parameter) => parameter.name);
