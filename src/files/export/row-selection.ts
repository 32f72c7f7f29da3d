/** A random sample of rows. */
export interface Sample {
  /** The maximum number of rows. */
  readonly size: number;
  /** Another seed gives another sample. */
  readonly seed: string;
}

/** The rows to export; by default all, without deleted tweets and unavailable accounts. */
export interface Selection {
  /** The time of the items: from `since` on and before `until`; milliseconds UTC. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** The service's ids of the accounts whose rows are exported; undefined for all accounts. */
  readonly accountRestIds?: readonly string[] | undefined;
  readonly sample?: Sample | undefined;
  /** Includes confirmed-deleted tweets, and the rows of accounts that the service no longer shows. */
  readonly includeDeleted?: boolean | undefined;
  /** The age from which checks of tweets are old, in milliseconds; 30 days by default. */
  readonly olderThan?: number | undefined;
}

/** A statement, with the values of its parameters by name, without the colon. */
export interface SelectionQuery {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, string | number>>;
}

/** The sets that conditions of a selection refer to, each with a column `id`: accounts, but tweets in `deleted`. */
export type SelectionSet = 'selected' | 'deleted' | 'unavailable';

/** The statements of these sets. */
export const SELECTION_SETS: Readonly<Record<SelectionSet, string>> = {
  selected: 'select id from users where rest_id in (select value from json_each(:accounts))',
  deleted: `select d.tweet_id from _deletion_evidence d join tweets t on t.id = d.tweet_id
  where d.confirmed_at is not null and d.suspected_at > t.last_seen_at`,
  unavailable: 'select u.id from v_unavailable_accounts v join users u on u.rest_id = v.rest_id',
};

/** Returns a set as a common table expression. */
export const defineSet = (name: SelectionSet): string => `${name}(id) as materialized (\n  ${SELECTION_SETS[name]}\n)`;

/** Returns the parameters of the conditions of a selection. */
export const bindSelection = ({ since, until, accountRestIds }: Selection): SelectionQuery['parameters'] => ({
  ...(since !== undefined && { since }),
  ...(until !== undefined && { until }),
  ...(accountRestIds && { accounts: JSON.stringify(accountRestIds) }),
});
