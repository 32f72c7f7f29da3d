import type { Db } from '#store/sqlite/database.ts';
import type { AnsweredQuery } from './run-queries.ts';

/** What a report leaves out, unless it includes deleted data. */
export interface HiddenData {
  /** Whether the service no longer shows an account. */
  isAccountHidden(restId: string): boolean;
  /** Returns an answer without the texts of hidden tweets (`rest_id`). */
  blank(answered: AnsweredQuery): AnsweredQuery;
  /** Returns an answer without the rows of hidden tweets (`rest_id`) and hidden accounts (`author_rest_id`). */
  leaveOut(answered: AnsweredQuery): AnsweredQuery;
}

/** The columns with texts of tweets. */
const TEXTS = ['text', 'before', 'after'];

/** Deleted tweets and unavailable accounts, as exports leave them out. */
export function prepareHiddenData({ $client }: Db, { includeDeleted }: { includeDeleted: boolean }): HiddenData {
  if (includeDeleted) {
    return { isAccountHidden: () => false, blank: (answered) => answered, leaveOut: (answered) => answered };
  }
  const unavailable = new Set($client.prepare<[], string>('select rest_id from v_unavailable_accounts').pluck().all());
  const readTweet = $client.prepare<[string], { isDeleted: 0 | 1; author: string | null }>(
    `select d.confirmed_at is not null and d.suspected_at > t.last_seen_at as isDeleted, u.rest_id as author
     from tweets t left join _deletion_evidence d on d.tweet_id = t.id left join users u on u.id = t.author_id
     where t.rest_id = ?`,
  );
  const isAccountHidden = (restId: string): boolean => unavailable.has(restId);
  /** Whether the service reports a tweet as deleted, or no longer shows its author. */
  function isTweetHidden(restId: string): boolean {
    const tweet = readTweet.get(restId);
    return tweet !== undefined && (tweet.isDeleted === 1 || (tweet.author !== null && isAccountHidden(tweet.author)));
  }
  return {
    isAccountHidden,
    blank({ answer, ...answered }) {
      const texts = TEXTS.map((name) => answer.columns.indexOf(name));
      const id = answer.columns.indexOf('rest_id');
      const rows = answer.rows.map((row) =>
        isTweetHidden(String(row[id])) ? row.map((value, i) => (texts.includes(i) ? null : value)) : row,
      );
      return { ...answered, answer: { ...answer, rows } };
    },
    leaveOut({ answer, ...answered }) {
      const { columns } = answer;
      const tweet = columns.includes('text') ? columns.indexOf('rest_id') : -1;
      const author = columns.indexOf('author_rest_id');
      const rows = answer.rows.filter(
        (row) =>
          !(tweet >= 0 && isTweetHidden(String(row[tweet]))) && !(author >= 0 && isAccountHidden(String(row[author]))),
      );
      return { ...answered, answer: { ...answer, rows } };
    },
  };
}
