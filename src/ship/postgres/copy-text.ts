import { type Fact, FACT_TABLES, type FactTableName, type FactType } from '../facts/fact-tables.ts';
import type { FactHead } from '../targets/fact-target.ts';

/** Facts in the text format of COPY. */

type Present = NonNullable<Fact[number]>;

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r', '\0': '' };
// oxlint-disable-next-line no-control-regex -- PostgreSQL stores no NUL
const TO_ESCAPE = /[\\\t\n\r\0]/;
const ALL_TO_ESCAPE = new RegExp(TO_ESCAPE, 'g');

const encodeText = (value: Present): string => {
  const text = String(value);
  return TO_ESCAPE.test(text) ? text.replace(ALL_TO_ESCAPE, (character) => ESCAPES[character]!) : text;
};

/** The first millisecond of year 1, and of year 10,000. */
const YEARS = { from: -62_135_596_800_000, to: 253_402_300_800_000 };

/** What stands for an infinite time: the greatest of JavaScript. */
export const INFINITE_MS = 8.64e15;

/** Times of other years, which no response has, are infinite. */
function formatTime(ms: number): string {
  if (ms < YEARS.from) return '-infinity';
  return ms < YEARS.to ? new Date(ms).toISOString() : 'infinity';
}

/** The facts of a page have the same time. */
function createTimeEncoder(): (value: Present) => string {
  let [last, text] = [Number.NaN, ''];
  return (value) => {
    if (value === last) return text;
    last = Number(value);
    text = formatTime(last);
    return text;
  };
}

const ENCODERS: Readonly<Record<FactType, () => (value: Present) => string>> = {
  text: () => encodeText,
  integer: () => String,
  boolean: () => (value) => (Number(value) === 0 ? 'f' : 't'),
  timestamp: createTimeEncoder,
  blob: () => (value) => `\\\\x${Buffer.from(value as Uint8Array).toString('hex')}`,
};

/** Creates a function that returns the lines of facts of a table. Missing columns at their end are null. */
export function createLineEncoder(table: FactTableName): (head: FactHead, facts: readonly Fact[]) => string {
  const encoders = Object.values(FACT_TABLES[table].columns).map((type) => ENCODERS[type]());
  return ([store, entry, crawlId], facts) => {
    const head = `${encodeText(store)}\t${entry}\t${crawlId ?? '\\N'}`;
    let lines = '';
    for (const fact of facts) {
      lines += head;
      for (let i = 0; i < encoders.length; i += 1) {
        const value = fact[i];
        lines += value == null ? '\t\\N' : `\t${encoders[i]!(value)}`;
      }
      lines += '\n';
    }
    return lines;
  };
}
