import type { Inspector } from '../contract/observed.ts';
import type { WireItem } from '../contract/pages.ts';
import { readTime } from '../contract/time.ts';
import type { DriftRow, EdgeList, PageRows, Reject, TweetRow, UserRow } from '../store/rows.ts';

const SAMPLE_LENGTH = 500;
/** Of so many items of a sort on each page it is counted which fields they have: one that goes missing does so in all. */
const COUNTED = 10;

/**
 * Gathers the rows of one page, and what could not become a row: items set aside and drift (law 11). Every normaliser
 * writes into one of these.
 */
export interface Collector {
  readonly users: UserRow[];
  readonly tweets: TweetRow[];
  readonly follows: EdgeList[];
  /** The item when its shape is right; undefined after setting it aside. */
  accept<T>(inspector: Inspector, item: WireItem): T | undefined;
  reject(item: WireItem, path: string, reason: string): void;
  /** A timestamp in milliseconds UTC; text that is none (`readTime`) is recorded as drift and gives null. */
  time(field: string, value: string | null | undefined): number | null;
  /** Counts something that is not as the specification says. */
  note(field: string, sample: unknown): void;
  /** Closes the page. */
  rows(more?: Partial<PageRows>): PageRows;
}

export function createCollector(): Collector {
  const users: UserRow[] = [];
  const tweets: TweetRow[] = [];
  const follows: EdgeList[] = [];
  const rejects: Reject[] = [];
  const drift = new Map<string, DriftRow>();
  const counts = new Map<Inspector, { items: number; filled: number[] }>();

  const note = (field: string, value: unknown) => {
    if (!drift.has(field)) drift.set(field, { field, sample: sampleOf(value) });
  };
  const countFields = (inspector: Inspector, item: unknown) => {
    const { fields } = inspector;
    let count = counts.get(inspector);
    if (!count) counts.set(inspector, (count = { items: 0, filled: fields.map(() => 0) }));
    if (count.items >= COUNTED) return;
    count.items += 1;
    for (let i = 0; i < fields.length; i++)
      if ((item as Record<string, unknown>)[fields[i]!] != null) count.filled[i]! += 1;
  };
  const reject = (item: WireItem, path: string, reason: string) => {
    rejects.push({ path: item.path + path, reason, sample: sampleOf(item.value) });
  };

  return {
    users,
    tweets,
    follows,
    reject,
    note,
    accept<T>(inspector: Inspector, item: WireItem) {
      const { problem, unknown } = inspector.inspect(item.value);
      for (const name of unknown) note(`${fieldOf(item.path)}.${name}`, (item.value as Record<string, unknown>)[name]);
      if (!problem) {
        countFields(inspector, item.value);
        return item.value as T;
      }
      reject(item, problem.path, problem.reason);
      return undefined;
    },
    time(field, value) {
      if (value == null) return null;
      const ms = readTime(value);
      if (ms === undefined) note(field, value);
      return ms ?? null;
    },
    rows: (more = {}) => ({
      ...{ users, tweets, follows, rejects, drift: [...drift.values()] },
      fields: Array.from(counts, ([{ name, fields }, count]) => ({ of: name, names: fields, ...count })),
      ...more,
    }),
  };
}

/** The last name of a path, without positions: `/data/…/entries/7/content/tweet` is `tweet`. */
const fieldOf = (path: string): string =>
  path
    .split('/')
    .filter((part) => !/^\d+$/.test(part))
    .at(-1) ?? '';

function sampleOf(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return wellFormed(json.slice(0, SAMPLE_LENGTH));
}

/** Text that SQLite stores and returns unchanged: no lone surrogates, no NUL. */
export function wellFormed(text: string): string {
  const clean = text.isWellFormed() ? text : text.toWellFormed();
  return clean.includes('\0') ? clean.replaceAll('\0', '') : clean;
}

/** The same for a field that may be absent. */
export const clean = (text: string | null | undefined): string | null => (text == null ? null : wellFormed(text));
