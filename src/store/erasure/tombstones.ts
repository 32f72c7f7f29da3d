import { createHash, randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { foldHandle } from '#base/text.ts';
import { erasures, settings, tombstones } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { bound, compileStatement } from '#store/sqlite/statement.ts';

/** What an erasure does with mentions in the texts of others. */
export type MentionsPolicy = (typeof erasures.$inferSelect)['mentions'];

/** Which accounts are forgotten. Every call reads the current state, so that erasures by other processes count at once. */
export interface Tombstones {
  /** Whether nobody is forgotten: one look-up in an empty table. */
  isEmpty(): boolean;
  /** Whether mentions of a forgotten account are redacted. */
  hasRedaction(): boolean;
  isForgottenAccount(restId: string): boolean;
  /** The mentions policy of the erasure of an account that had this handle; undefined if no erasure knows it. */
  findHandle(handle: string): MentionsPolicy | undefined;
}

/** Prepares the reading of tombstones. */
export function prepareTombstones(db: Db): Tombstones {
  // Without a bound limit, for which SQLite would compile the statement again at each call.
  const findAny = compileStatement(db.select({ id: tombstones.erasureId }).from(tombstones));
  const findRedaction = compileStatement(
    db.select({ id: erasures.id }).from(erasures).where(eq(erasures.mentions, 'redact')),
  );
  const find = compileStatement(
    db
      .select({ mentions: erasures.mentions })
      .from(tombstones)
      .innerJoin(erasures, eq(erasures.id, tombstones.erasureId))
      .where(eq(tombstones.hash, bound.hash)),
  );
  // The key of a store with tombstones never changes.
  let storedKey: string | undefined;
  const isEmpty = (): boolean => findAny.get({}) === undefined;
  const read = (hash: (key: string) => string): MentionsPolicy | undefined => {
    storedKey ??= isEmpty() ? undefined : readErasureKey(db);
    return storedKey === undefined
      ? undefined
      : (find.get({ hash: hash(storedKey) })?.[0] as MentionsPolicy | undefined);
  };
  return {
    isEmpty,
    hasRedaction: () => findRedaction.get({}) !== undefined,
    isForgottenAccount: (restId) => read((key) => hashAccount(key, restId)) !== undefined,
    findHandle: (handle) => read((key) => hashHandle(key, handle)),
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
 * Records an erasure and its tombstones, inside the caller's transaction, and creates the key at the first one. A hash
 * that exists keeps its erasure. Returns the erasure's id.
 */
export function recordErasure(
  db: Db,
  account: ForgottenAccount,
  { erasedAt, mentions }: { readonly erasedAt: number; readonly mentions: MentionsPolicy },
): number {
  const key = ensureErasureKey(db);
  const { id } = db.insert(erasures).values({ erasedAt, mentions }).returning({ id: erasures.id }).get();
  const hashes = [
    ...account.restIds.map((restId) => hashAccount(key, restId)),
    ...account.handles.map((handle) => hashHandle(key, handle)),
    ...(account.unidentified ?? []).map((handle) => hashUnidentified(key, handle)),
  ];
  for (const hash of hashes) db.insert(tombstones).values({ hash, erasureId: id }).onConflictDoNothing().run();
  return id;
}

/**
 * Adds the tombstone of a handle that a forgotten account has now, unless another account that is stored has it. It belongs
 * to the erasure of the account. Returns the hashes that are new.
 */
export function addHandle(db: Db, restId: string, handle: string): string[] {
  const key = readErasureKey(db);
  if (key === undefined) return [];
  return db.$client
    .prepare<[string, string, string], string>(
      `insert into _tombstones select ?, erasure_id from _tombstones
       where hash = ? and not exists (select 1 from users where screen_name = ? collate nocase) on conflict do nothing
       returning hash`,
    )
    .pluck()
    .all(hashHandle(key, handle), hashAccount(key, restId), handle);
}

/**
 * Adds the tombstone of an account that is shown with a handle of an erasure without an id. Only the first account is: a
 * later one has taken the handle over. So has one that was stored when the handle was erased. Returns the hashes that are
 * new.
 */
export function identifyAccount(db: Db, restId: string, handle: string): string[] {
  const key = readErasureKey(db);
  if (key === undefined) return [];
  const marked = db.$client
    .prepare<[string, string, string, string], string>(
      `insert into _tombstones select ?, erasure_id from _tombstones where hash = ?
         and not exists (select 1 from _tombstones where hash = ?)
         and not exists (select 1 from users where rest_id = ?) on conflict do nothing returning hash`,
    )
    .pluck()
    .all(hashIdentified(key, handle), hashUnidentified(key, handle), hashIdentified(key, handle), restId);
  if (marked.length === 0) return [];
  const identified = db.$client
    .prepare<[string, string], string>(
      'insert into _tombstones select ?, erasure_id from _tombstones where hash = ? on conflict do nothing returning hash',
    )
    .pluck()
    .all(hashAccount(key, restId), hashUnidentified(key, handle));
  return [...marked, ...identified];
}

/** The tombstone of an account. */
export const hashAccount = (key: string, restId: string): string => sha256(`${key}account:${restId}`);

/** The tombstone of a handle, in any case. */
export const hashHandle = (key: string, handle: string): string => sha256(`${key}handle:${foldHandle(handle)}`);

/** Marks a handle of an erasure without an id, and then, that its account was found. */
const hashUnidentified = (key: string, handle: string): string => sha256(`${key}unidentified:${foldHandle(handle)}`);
const hashIdentified = (key: string, handle: string): string => sha256(`${key}identified:${foldHandle(handle)}`);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The name of the key in `_settings`. */
export const ERASURE_KEY = 'erasure_key';

/** Returns the key of a store's tombstones: 64 hexadecimal digits, which are hashed as text. Undefined before its first erasure. */
export const readErasureKey = (db: Db): string | undefined =>
  db.select().from(settings).where(eq(settings.key, ERASURE_KEY)).get()?.value;

function ensureErasureKey(db: Db): string {
  const key = randomBytes(32).toString('hex');
  db.insert(settings).values({ key: ERASURE_KEY, value: key }).onConflictDoNothing().run();
  return readErasureKey(db)!;
}
