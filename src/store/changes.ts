import type { Db } from './database.ts';

/**
 * Tells one state of a store from another: what it returns is different as soon as any connection has committed a change,
 * and the same as long as none has. SQLite is asked once per turn of the event loop, whoever else asks in it.
 */
export function watchChanges(db: Db): () => string {
  // The one counts the commits of other connections, the other the rows that this one changed.
  const states = db.$client.prepare<[], string>(
    "select data_version || ' ' || total_changes() from pragma_data_version",
  );
  states.pluck();
  let state: string | undefined;
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
