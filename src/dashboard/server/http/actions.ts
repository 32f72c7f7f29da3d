/**
 * Changes a store for a page, as a command does. The result is sent as JSON.
 * @param input the body of the request: JSON of a user. @throws UsageError for a wrong one (400)
 */
export type Action = (input: unknown) => Promise<unknown>;

/** The actions by the path of their route below `/api/actions/`: `crawls/cancel`. */
export type ActionTable = Readonly<Record<string, Action>>;
