import { InvalidArgumentError } from 'commander';
import { DAY } from '#base/clock.ts';
import { parseAge } from '#base/clock.ts';
import { valueParser } from '#cli/shared/common-options.ts';
import { parseBytes } from '#config.ts';

/** Values of parameters by name. Integers are bigints, since the driver binds numbers as floating-point values. */
export type SqlParameters = Readonly<Record<string, string | number | bigint | null>>;

/** The maximum of a timer of Node, rounded down. */
const MAX_DAYS = 24;
/** A process needs half of it for itself. */
const MIN_MEMORY = 100e6;

/** Parses `name=text` and `name:=number`, and adds the parameter to `previous`. */
export function parseParameter(text: string, previous: SqlParameters = {}): SqlParameters {
  const [, name, sign, value] = /^[:@$]?([^:=]+)(:?=)([^]*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new InvalidArgumentError('It must be name=text, such as handle=nasa, or name:=number, such as n:=10.');
  }
  if (Object.hasOwn(previous, name)) throw new InvalidArgumentError(`The parameter ${name} has two values.`);
  return { ...previous, [name]: sign === '=' ? value : parseNumber(value) };
}

/** Parses an integer of 64 bits, a decimal number, or `null`. */
function parseNumber(text: string): number | bigint | null {
  if (text === 'null') return null;
  if (/^[+-]?\d+$/.test(text)) {
    const integer = BigInt(text.replace(/^\+/, ''));
    if (BigInt.asIntN(64, integer) === integer) return integer;
  } else if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text);
  throw new InvalidArgumentError(`After :=, it must be a number or null; ${JSON.stringify(text)} is text: use =.`);
}

/** Parses a duration. Returns milliseconds. */
export const parseTimeout = valueParser((text) => {
  const ms = parseAge(text) ?? 0;
  return ms === 0 || ms > MAX_DAYS * DAY ? undefined : ms;
}, `a time from 1ms to ${MAX_DAYS}d`);

/** Parses an amount of memory. Returns bytes. */
export const parseMemory = valueParser(
  (text) => {
    const bytes = parseBytes(text) ?? 0;
    return bytes < MIN_MEMORY ? undefined : bytes;
  },
  `a size of at least ${MIN_MEMORY / 1e6}MB, such as 500MB or 2GB`,
);
