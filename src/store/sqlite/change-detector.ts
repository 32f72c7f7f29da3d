import type { Db } from './database.ts';

/** Identifies a state of a database: between two equal tokens, nothing was committed. */
export type ChangeToken = string | number;

/**
 * Returns a function that reads the token of the current state. Within a transaction it is that of the state that the
 * transaction reads.
 */
export function createStateReader(db: Pick<Db, '$client'>): () => ChangeToken {
  // `data_version` changes with commits of other connections, `total_changes` with rows that this one changes.
  const readState = db.$client.prepare<[], ChangeToken>(
    db.$client.readonly
      ? 'pragma data_version'
      : "select data_version || ' ' || total_changes() from pragma_data_version",
  );
  readState.pluck();
  return () => readState.get()!;
}

/**
 * Returns a function whose result changes as soon as any connection commits a change. SQLite is queried once per turn of
 * the event loop.
 */
export function createChangeDetector(db: Pick<Db, '$client'>): () => ChangeToken {
  const readState = createStateReader(db);
  let state: ChangeToken | undefined;
  const forget = (): void => {
    state = undefined;
  };
  return () => {
    if (state === undefined) {
      state = readState();
      setImmediate(forget);
    }
    return state;
  };
}
