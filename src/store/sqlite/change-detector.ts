import type { Db } from './database.ts';

/** Of two that are equal, nothing lies between. */
export type ChangeToken = string | number;

/**
 * Tells one state of a database from another: what it returns is different as soon as any connection has committed a change,
 * and the same as long as none has. SQLite is asked once per turn of the event loop, whoever else asks in it.
 */
export function createChangeDetector(db: Pick<Db, '$client'>): () => ChangeToken {
  // The one counts the commits of other connections, the other the rows that this one changed.
  const states = db.$client.prepare<[], ChangeToken>(
    db.$client.readonly
      ? 'pragma data_version'
      : "select data_version || ' ' || total_changes() from pragma_data_version",
  );
  states.pluck();
  let state: ChangeToken | undefined;
  const forget = (): void => {
    state = undefined;
  };
  return () => {
    if (state === undefined) {
      state = states.get()!;
      setImmediate(forget);
    }
    return state;
  };
}
