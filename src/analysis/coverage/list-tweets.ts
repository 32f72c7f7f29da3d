import { getKind } from '../../service/kinds/kinds.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { OrderedListCoverage } from './coverage-model.ts';

type ListKind = OrderedListCoverage['kind'];

/** The stored tweets of an account that a list showed. */
export interface ListTweets {
  readonly stored: number;
  /** Those that the service reports as deleted, and those that are missing from the list: `v_deleted_tweets`. */
  readonly deleted: number;
  readonly suspected: number;
}

const COUNTS: Readonly<Record<keyof ListTweets, string>> = {
  stored: '',
  deleted: 'and d.confirmed_at is not null',
  suspected: 'and d.tweet_id is not null and d.confirmed_at is null',
};

/** Prepares counting the tweets of an account by list. It reads each of them once. */
export function prepareListTweets({ $client }: Db): (userId: number) => Readonly<Record<ListKind, ListTweets>> {
  const columns = (flag: number): string =>
    Object.entries(COUNTS)
      .map(([name, condition]) => `'${name}', count(*) filter (where t.seen_in_lists & ${flag} <> 0 ${condition})`)
      .join(', ');
  const count = $client
    .prepare<[number], string>(
      `select json_object('timeline', json_object(${columns(getKind('timeline').listFlag!)}), 'replies', json_object(${columns(getKind('replies').listFlag!)}))
       from tweets t left join _deletion_evidence d on d.tweet_id = t.id and d.suspected_at > t.last_seen_at
       where t.author_id = ?`,
    )
    .pluck();
  return (userId) => JSON.parse(count.get(userId)!) as Readonly<Record<ListKind, ListTweets>>;
}
