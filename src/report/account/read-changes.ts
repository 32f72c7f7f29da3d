import type { Db } from '../../store/sqlite/database.ts';
import type { HiddenData } from '../hidden.ts';

/** A tweet that is missing from its list (`suspected`), or that the service reports as deleted. */
export interface ReportedDeletion {
  readonly restId: string;
  readonly state: 'suspected' | 'deleted';
  /** Null if it is left out. */
  readonly text: string | null;
  readonly createdAt: string | null;
  readonly lastSeenAt: string;
  readonly noticedAt: string;
}

/** A change of the text of a tweet. */
export interface ReportedEdit {
  readonly restId: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly lastSeenAt: string;
  readonly noticedAt: string;
}

/** Changes of tweets, newest first. */
export interface TweetChanges {
  readonly deletions: readonly ReportedDeletion[];
  readonly edits: readonly ReportedEdit[];
  /** The number of all edits. */
  readonly editCount: number;
}

/** Reads the newest deletions and edits of tweets of an account. Texts that are hidden are null. */
export function readTweetChanges({ $client }: Db, restId: string, hidden: HiddenData, limit: number): TweetChanges {
  const edits = `from v_tweet_changes where field = 'text'
    and rest_id in (select t.rest_id from users u join tweets t on t.author_id = u.id where u.rest_id = ?)`;
  return {
    deletions: $client
      .prepare<[string, number], ReportedDeletion>(
        `select rest_id as restId, state, text, created_at as createdAt, last_seen_at as lastSeenAt,
           coalesce(confirmed_at, suspected_at) as noticedAt
         from v_deleted_tweets where author_rest_id = ? order by noticedAt desc, id desc limit ?`,
      )
      .all(restId, limit)
      .map((deletion) => (hidden.isTweetHidden(deletion.restId) ? { ...deletion, text: null } : deletion)),
    edits: $client
      .prepare<[string, number], ReportedEdit>(
        `select rest_id as restId, old_value as before, new_value as after, last_seen_at as lastSeenAt,
           changed_at as noticedAt ${edits} order by noticedAt desc, id desc limit ?`,
      )
      .all(restId, limit)
      .map((edit) => (hidden.isTweetHidden(edit.restId) ? { ...edit, before: null, after: null } : edit)),
    editCount: $client.prepare<[string], number>(`select count(*) ${edits}`).pluck().get(restId)!,
  };
}
