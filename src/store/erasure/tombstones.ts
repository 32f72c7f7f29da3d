import { createHash, randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { foldHandle } from '#base/text.ts';
import { erasures, tombstones } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { bound, compileStatement } from '#store/sqlite/statement.ts';

/** What an erasure does with mentions in the texts of others. */
export type MentionsPolicy = (typeof erasures.$inferSelect)['mentions'];

/** Which accounts are forgotten, by the hashes of their ids and handles. */
export interface Tombstones {
  /** Whether mentions of a forgotten account are redacted. */
  readonly hasRedaction: boolean;
  /** The mentions policy of the erasure of an account; undefined if no erasure knows it. */
  findAccount(restId: string): MentionsPolicy | undefined;
  /** The same for an account that had this handle. */
  findHandle(handle: string): MentionsPolicy | undefined;
}

/** @param find returns the mentions policy of a hash. If several erasures know an account, mentions of it are redacted if one says so. */
export function createTombstones(
  keys: readonly string[],
  find: (hash: string) => MentionsPolicy | undefined,
  hasRedaction: boolean,
): Tombstones {
  const findAny = (hash: (key: string) => string): MentionsPolicy | undefined => {
    let found: MentionsPolicy | undefined;
    for (const key of keys) {
      const mentions = find(hash(key));
      if (found !== 'redact') found = mentions ?? found;
    }
    return found;
  };
  return {
    hasRedaction,
    findAccount: (restId) => findAny((key) => hashAccount(key, restId)),
    findHandle: (handle) => findAny((key) => hashHandle(key, handle)),
  };
}

/**
 * Prepares the reading of tombstones: returns those of now, so that erasures by other processes count at once, or undefined if
 * nobody is forgotten, which costs one look-up.
 */
export function prepareTombstones(db: Db): () => Tombstones | undefined {
  const { $client } = db;
  const findLast = $client.prepare<[], number | null>('select max(id) from _erasures').pluck();
  const findRedaction = $client.prepare("select 1 from _erasures where mentions = 'redact' limit 1");
  const find = compileStatement(
    db
      .select({ mentions: erasures.mentions })
      .from(tombstones)
      .innerJoin(erasures, eq(erasures.id, tombstones.erasureId))
      .where(eq(tombstones.hash, bound.hash)),
  );
  let last: number | null = null;
  let found: Tombstones | undefined;
  return () => {
    const latest = findLast.get()!;
    if (latest !== last) {
      const findPolicy = (hash: string) => find.get({ hash })?.[0] as MentionsPolicy | undefined;
      found = createTombstones(listErasureKeys(db), findPolicy, findRedaction.get() !== undefined);
      last = latest;
    }
    return found;
  };
}

/** The account of an erasure. */
export interface ForgottenAccount {
  readonly restIds: readonly string[];
  /** Its handles, earlier ones included. */
  readonly handles: readonly string[];
  /** Those among the handles whose accounts the store has never seen: `identifyAccount` finds them. */
  readonly unidentified?: readonly string[];
}

/**
 * Records an erasure and its tombstones, inside the caller's transaction. The first erasure creates the key, unless another
 * database of a lake did. A hash that exists keeps its erasure. Returns the erasure's id.
 */
export function recordErasure(
  db: Db,
  account: ForgottenAccount,
  { erasedAt, mentions }: { readonly erasedAt: number; readonly mentions: MentionsPolicy },
): number {
  const key = listErasureKeys(db)[0] ?? randomBytes(32).toString('hex');
  const { id } = db.insert(erasures).values({ erasedAt, key, mentions }).returning({ id: erasures.id }).get();
  const hashes = [
    ...account.restIds.map((restId) => hashAccount(key, restId)),
    ...account.handles.map((handle) => hashHandle(key, handle)),
    ...(account.unidentified ?? []).map((handle) => hashUnidentified(key, handle)),
  ];
  for (const hash of hashes) db.insert(tombstones).values({ hash, erasureId: id }).onConflictDoNothing().run();
  return id;
}

/** A tombstone with its erasure, as it is shipped. */
export interface Tombstone {
  readonly erasedAt: number;
  readonly key: string;
  readonly hash: string;
  readonly mentions: MentionsPolicy;
}

/**
 * Adds tombstones that a store lacks, inside the caller's transaction: those of the same time, key and policy are of one erasure,
 * which is not finished. Returns whether there were any.
 */
export function addTombstones({ $client }: Db, added: Iterable<Tombstone>): boolean {
  const find = $client
    .prepare<[Tombstone], number>(
      'select id from _erasures where erased_at = @erasedAt and key = @key and mentions = @mentions',
    )
    .pluck();
  const insert = $client.prepare<[Tombstone]>(
    'insert into _erasures (erased_at, key, mentions) values (@erasedAt, @key, @mentions)',
  );
  const isKnown = $client.prepare<[string]>('select 1 from _tombstones where hash = ?');
  const addHash = $client.prepare('insert into _tombstones (hash, erasure_id) values (?, ?)');
  let hasAdded = false;
  for (const each of added) {
    if (isKnown.get(each.hash)) continue;
    addHash.run(each.hash, find.get(each) ?? insert.run(each).lastInsertRowid);
    hasAdded = true;
  }
  return hasAdded;
}

/**
 * Adds the tombstone of a handle that a forgotten account has now, unless another account that is stored has it. It belongs
 * to the erasure of the account. Returns the hashes that are new.
 */
export function addHandle(db: Db, restId: string, handle: string): string[] {
  const add = db.$client
    .prepare<[string, string, string], string>(
      `insert into _tombstones select ?, erasure_id from _tombstones
       where hash = ? and not exists (select 1 from users where screen_name = ? collate nocase) on conflict do nothing
       returning hash`,
    )
    .pluck();
  return listErasureKeys(db).flatMap((key) => add.all(hashHandle(key, handle), hashAccount(key, restId), handle));
}

/**
 * Adds the tombstone of an account that is shown with a handle of an erasure without an id. Only the first account is: a
 * later one has taken the handle over. So has one that was stored when the handle was erased, unless another database erased it.
 * Returns the hashes that are new.
 */
export function identifyAccount(db: Db, restId: string, handle: string, isForeign = false): string[] {
  const mark = db.$client
    .prepare<[string, string, string, string, number], string>(
      `insert into _tombstones select ?, erasure_id from _tombstones where hash = ?
         and not exists (select 1 from _tombstones where hash = ?)
         and (not exists (select 1 from users where rest_id = ?) or ?) on conflict do nothing returning hash`,
    )
    .pluck();
  const identify = db.$client
    .prepare<[string, string], string>(
      'insert into _tombstones select ?, erasure_id from _tombstones where hash = ? on conflict do nothing returning hash',
    )
    .pluck();
  return listErasureKeys(db).flatMap((key) => {
    const [unidentified, identified] = [hashUnidentified(key, handle), hashIdentified(key, handle)];
    const marked = mark.all(identified, unidentified, identified, restId, Number(isForeign));
    return marked.length === 0 ? [] : [...marked, ...identify.all(hashAccount(key, restId), unidentified)];
  });
}

/** The tombstone of an account. */
export const hashAccount = (key: string, restId: string): string => sha256(`${key}account:${restId}`);

/** The tombstone of a handle, in any case. */
export const hashHandle = (key: string, handle: string): string => sha256(`${key}handle:${foldHandle(handle)}`);

/** Marks a handle of an erasure without an id, and then, that its account was found. */
const hashUnidentified = (key: string, handle: string): string => sha256(`${key}unidentified:${foldHandle(handle)}`);
const hashIdentified = (key: string, handle: string): string => sha256(`${key}identified:${foldHandle(handle)}`);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The keys of all erasures, the first one's first: a store has its own, or one for each database of its lakes that has erased accounts. */
export const listErasureKeys = ({ $client }: Db): string[] =>
  $client.prepare<[], string>('select key from _erasures group by key order by min(id)').pluck().all();
