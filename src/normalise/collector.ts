import type { Inspector } from '../contract/observed.ts';
import type { WireItem } from '../contract/pages.ts';
import { parseTime } from '../contract/time.ts';
import type { DriftRow, DroppedField, EdgeList, PageRows, Reject, TweetRow, UserRow } from '../store/schema/rows.ts';

const SAMPLE_LENGTH = 500;
/** The number of items per type and page whose fields are counted. A field that disappears does so in all items. */
const FIELD_SAMPLE_SIZE = 10;

/** Collects the rows of one page, its rejected items, dropped fields and drift (invariant 11). */
export interface Collector {
  readonly users: UserRow[];
  readonly tweets: TweetRow[];
  readonly follows: EdgeList[];
  /**
   * Returns the item without unreadable fields; undefined if it is rejected. An item nested in another one, with the
   * `field` that holds it, is dropped instead.
   */
  accept<T>(inspector: Inspector<T>, item: WireItem, field?: string): T | undefined;
  /** Counts a dropped value. `field` is the type of item and the field. */
  dropField(field: string, value: unknown, reason: string): void;
  reject(item: WireItem, path: string, reason: string): void;
  /** Returns a timestamp in milliseconds UTC; null for text that is not one, which is counted as dropped. */
  readTime(field: string, value: string | null | undefined): number | null;
  /** Counts a deviation from the specification. */
  countDrift(field: string, sample: unknown): void;
  /** Returns the rows of the page. */
  buildRows(more?: Partial<PageRows>): PageRows;
}

export function createCollector(): Collector {
  const users: UserRow[] = [];
  const tweets: TweetRow[] = [];
  const follows: EdgeList[] = [];
  const rejects: Reject[] = [];
  const drift = new Map<string, DriftRow>();
  const dropped = new Map<string, DroppedField>();
  const counts = new Map<Inspector<unknown>, { items: number; filled: number[] }>();

  const addDrift = (field: string, value: unknown) => {
    if (!drift.has(field)) drift.set(field, { field, sample: sampleOf(value) });
  };
  const countFields = (inspector: Inspector<unknown>, item: unknown) => {
    const { fields } = inspector;
    let count = counts.get(inspector);
    if (!count) counts.set(inspector, (count = { items: 0, filled: fields.map(() => 0) }));
    if (count.items >= FIELD_SAMPLE_SIZE) return;
    count.items += 1;
    for (let i = 0; i < fields.length; i++)
      if ((item as Record<string, unknown>)[fields[i]!] != null) count.filled[i]! += 1;
  };
  const addDropped = (field: string, value: unknown, reason: string) => {
    const key = `${field} ${reason}`;
    const existing = dropped.get(key);
    dropped.set(
      key,
      existing ? { ...existing, count: existing.count + 1 } : { field, reason, count: 1, sample: sampleOf(value) },
    );
    addDrift(field, value);
  };
  const reject = (item: WireItem, path: string, reason: string) => {
    rejects.push({ path: item.path + path, reason, sample: sampleOf(item.value) });
  };

  function accept<T>(inspector: Inspector<T>, wire: WireItem, part?: string): T | undefined {
    const { item, problem, dropped: unreadable, unknown } = inspector.inspect(wire.value);
    const sent = wire.value as Readonly<Record<string, unknown>>;
    for (const name of unknown) addDrift(`${fieldOf(wire.path)}.${name}`, sent[name]);
    if (problem) {
      if (part === undefined) reject(wire, problem.path, problem.reason);
      else addDropped(part, sent, problem.reason);
      return undefined;
    }
    for (const { field, reason } of unreadable) addDropped(`${inspector.name}.${field}`, sent[field], reason);
    // An unreadable field is not a missing one.
    countFields(inspector, sent);
    return item;
  }

  return {
    users,
    tweets,
    follows,
    accept,
    reject,
    countDrift: addDrift,
    dropField: addDropped,
    readTime(field, value) {
      if (value == null) return null;
      const ms = parseTime(value);
      if (ms === undefined) addDropped(field, value, 'is not a time');
      return ms ?? null;
    },
    buildRows: (more = {}) => ({
      ...{ users, tweets, follows, rejects, drift: [...drift.values()] },
      dropped: dropped.size > 0 ? [...dropped.values()] : undefined,
      fields: Array.from(counts, ([{ name, fields }, count]) => ({ itemType: name, names: fields, ...count })),
      ...more,
    }),
  };
}

/** Returns the last name of a path, without positions: `/data/…/entries/7/content/tweet` is `tweet`. */
const fieldOf = (path: string): string =>
  path
    .split('/')
    .filter((part) => !/^\d+$/.test(part))
    .at(-1) ?? '';

function sampleOf(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return toWellFormed(json.slice(0, SAMPLE_LENGTH));
}

/** Returns text that SQLite stores and returns unchanged: without lone surrogates and NUL. */
export function toWellFormed(text: string): string {
  const cleanText = text.isWellFormed() ? text : text.toWellFormed();
  return cleanText.includes('\0') ? cleanText.replaceAll('\0', '') : cleanText;
}

export const clean = (text: string | null | undefined): string | null => (text == null ? null : toWellFormed(text));
