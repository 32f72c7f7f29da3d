import { truncate } from '#base/text.ts';
import type { Inspector } from '#service/contract/accepted-resources.ts';
import { parseTime } from '#service/contract/timestamps.ts';
import type { WireItem } from '#service/contract/wire-page.ts';
import type {
  DriftRow,
  DroppedField,
  EdgeList,
  PageRows,
  Reject,
  TweetList,
  TweetRow,
  UserRow,
} from '#store/schema/normalised-rows.ts';

const SAMPLE_LENGTH = 500;
/** The number of items per type and page whose fields are counted. A field that disappears does so in all items. */
const FIELD_SAMPLE_SIZE = 10;

export type Collector = ReturnType<typeof createCollector>;

/** Collects the rows of one page, its rejected items, dropped fields and drift (invariant 11). */
export function createCollector() {
  const users: UserRow[] = [];
  const tweets: TweetRow[] = [];
  const follows: EdgeList[] = [];
  const rejects: Reject[] = [];
  const drift = new Map<string, DriftRow>();
  const dropped = new Map<string, DroppedField>();
  const counts = new Map<Inspector<unknown>, { items: number; filled: number[] }>();

  function countFields(inspector: Inspector<unknown>, item: Readonly<Record<string, unknown>>): void {
    const { fields } = inspector;
    let count = counts.get(inspector);
    if (!count) counts.set(inspector, (count = { items: 0, filled: fields.map(() => 0) }));
    if (count.items >= FIELD_SAMPLE_SIZE) return;
    count.items += 1;
    for (let i = 0; i < fields.length; i++) if (item[fields[i]!] != null) count.filled[i]! += 1;
  }

  /** Counts a deviation from the specification. */
  function countDrift(field: string, value: unknown): void {
    if (!drift.has(field)) drift.set(field, { field, sample: sampleOf(value) });
  }

  /** Counts a dropped value. `field` is the type of item and the field. */
  function dropField(field: string, value: unknown, reason: string): void {
    const key = `${field} ${reason}`;
    const earlier = dropped.get(key) ?? { field, reason, count: 0, sample: sampleOf(value) };
    dropped.set(key, { ...earlier, count: earlier.count + 1 });
    countDrift(field, value);
  }

  function reject(item: WireItem, path: string, reason: string): void {
    rejects.push({ path: item.path + path, reason, sample: sampleOf(item.value) });
  }

  /**
   * Returns the item without unreadable fields; undefined if it is rejected. An item nested in another one, which holds
   * it in its field `part`, is dropped instead.
   */
  function accept<T>(inspector: Inspector<T>, wire: WireItem, part?: string): T | undefined {
    const { item, problem, dropped: unreadable, unknown } = inspector.inspect(wire.value);
    const sent = wire.value as Readonly<Record<string, unknown>>;
    for (const name of unknown) countDrift(`${fieldOf(wire.path)}.${name}`, sent[name]);
    if (problem) {
      if (part === undefined) reject(wire, problem.path, problem.reason);
      else dropField(part, sent, problem.reason);
      return undefined;
    }
    for (const { field, reason } of unreadable) dropField(`${inspector.name}.${field}`, sent[field], reason);
    // An unreadable field is not a missing one.
    countFields(inspector, sent);
    return item;
  }

  /** Returns a timestamp in milliseconds UTC; null for text that is not one, which is counted as dropped. */
  function readTime(field: string, value: string | null | undefined): number | null {
    if (value == null) return null;
    const ms = parseTime(value);
    if (ms === undefined) dropField(field, value, 'is not a time');
    return ms ?? null;
  }

  /** Returns the rows of the page. */
  const buildRows = (list?: TweetList): PageRows => ({
    users,
    tweets,
    follows,
    tweetLists: list ? [list] : [],
    rejects,
    drift: [...drift.values()],
    dropped: dropped.size > 0 ? [...dropped.values()] : undefined,
    fields: Array.from(counts, ([{ name, fields }, count]) => ({
      itemType: name,
      names: fields,
      ...count,
    })),
  });

  return { users, tweets, follows, accept, reject, countDrift, dropField, readTime, buildRows };
}

/** Returns the last name of a path, without positions: `/data/…/entries/7/content/tweet` is `tweet`. */
const fieldOf = (path: string): string =>
  path
    .split('/')
    .filter((part) => !/^\d+$/.test(part))
    .at(-1) ?? '';

function sampleOf(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return clean(truncate(json, SAMPLE_LENGTH))!;
}

/** Returns text that SQLite stores and returns unchanged: without lone surrogates and NUL. */
export function clean(text: string | null | undefined): string | null {
  if (text == null) return null;
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '') : wellFormed;
}
