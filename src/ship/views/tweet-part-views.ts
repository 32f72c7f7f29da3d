import type { Dialect } from './dialect.ts';
import { nameColumns } from './tweet-views.ts';
import type { Views } from './views.ts';

/** Returns the views of the hashtags and links of tweets: all that any response showed. */
export function createTweetPartViews({ isoTime, jsonTexts }: Dialect): Views {
  const parts = (column: string, name: string): string =>
    `select distinct rest_id, ${jsonTexts(column)} as ${name} from tweet_sightings where ${column} is not null`;
  const ends = ['/', '?', '#', ':'].map((end) => `position('${end}' in concat(l.rest, '${end}'))`);
  return {
    _tweet_hashtags: parts('hashtags', 'tag'),
    v_hashtags_per_day: `select substr(${isoTime('t.created_ms')}, 1, 10) as day, h.tag as tag, count(*) as tweets, count(distinct t.author_rest_id) as authors
  from _tweet_hashtags h join _tweets t on t.rest_id = h.rest_id
  group by h.tag, substr(${isoTime('t.created_ms')}, 1, 10)`,
    v_cohashtags: `select h.tag as tag, o.tag as other_tag, count(*) as tweets, count(distinct t.author_rest_id) as authors,
    ${isoTime('min(t.created_ms)')} as earliest_at, ${isoTime('max(t.created_ms)')} as latest_at
  from _tweet_hashtags h join _tweet_hashtags o on o.rest_id = h.rest_id join _tweets t on t.rest_id = h.rest_id
  where o.tag <> h.tag
  group by h.tag, o.tag`,
    v_links: `select ${nameColumns('t', ['rest_id', 'author_rest_id'])}, a.screen_name as author, t.text as text, ${isoTime('t.created_ms')} as created_at,
    l.url as url, lower(substr(l.rest, 1, least(${ends.join(', ')}) - 1)) as host
  from (
    select rest_id, url, case position('://' in url) when 0 then url else substr(url, position('://' in url) + 3) end as rest
    from (${parts('links', 'url')}) p
  ) l
  join _tweets t on t.rest_id = l.rest_id
  left join v_users a on a.rest_id = t.author_rest_id`,
  };
}
