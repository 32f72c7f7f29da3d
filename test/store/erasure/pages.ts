import fc from 'fast-check';
import type { PageRequest } from '#store/normalise/parse-page.ts';
import { bottom, listOf } from '../../engine/support.ts';

/** Random pages of all kinds, in which a person may be shown in every place of the wire format, and beyond it. */

export const PERSON = {
  id: '7788990011223344',
  handle: 'Zabledaux_Q',
  name: 'Quirina Zabledaux',
  texts: ['velociraptors dislike marmalade', 'seventeen umbrellas at noon'],
} as const;

/** What no file may contain of the person. */
export const TRACES = [PERSON.id, PERSON.handle, PERSON.name, ...PERSON.texts];

export const PEOPLE = [
  PERSON,
  { id: '1001', handle: 'anna_b', name: 'Anna', texts: ['good morning', 'hello @anna_b'] },
  { id: '1002', handle: 'bob2', name: 'Bob', texts: ['rain again #weather', 'thanks @zabledaux_q, see you'] },
  { id: '1003', handle: 'carol', name: 'Carol C', texts: ['https://example.org/a'] },
] as const;
type Someone = (typeof PEOPLE)[number];

const anyone = fc.constantFrom(...PEOPLE);
/** Ids of tweets by author, so that a tweet always has the same one. */
const tweetId = (author: Someone, n: number): string => `55${author.id.slice(-4)}${n}`;
const time = fc.integer({ min: 1, max: 28 }).map((day) => new Date(Date.UTC(2025, 0, day)).toISOString());

const reference = ({ id, name, handle }: Someone) => ({ id, rest_id: id, name, screen_name: handle });

/** A user summary, whose fields may be unreadable. */
const summary = anyone.chain((someone) =>
  fc.record(
    {
      id: fc.constant(someone.id),
      rest_id: fc.constantFrom<unknown>(someone.id, Number(someone.id)),
      name: fc.constant(someone.name),
      screen_name: fc.constantFrom<unknown>(someone.handle, someone.handle.toUpperCase()),
      description: fc.constantFrom<unknown>(someone.texts[0], 17),
      profile_image_url: fc.constant(`https://img.example/${someone.id}/${someone.handle}.jpg`),
      followers_count: fc.constant(3),
      undocumented: fc.constant({ pinned: someone.texts[0] }),
    },
    { requiredKeys: ['id', 'name', 'screen_name'] },
  ),
);

const profile = anyone.map(({ id, handle, name, texts }) => ({
  id,
  userName: handle,
  name,
  description: texts[0],
  statusesCount: 2,
  url: `https://example.org/${handle}`,
}));

/** A tweet, which may quote or repeat another one in fields that the specification does not define. */
const tweetBy = (author: Someone, shown: 'author' | 'no author') =>
  fc
    .record({
      n: fc.integer({ min: 0, max: 4 }),
      at: time,
      to: fc.option(anyone),
      quoted: fc.option(anyone),
      text: fc.constantFrom(...author.texts),
    })
    .map(({ n, at, to, quoted, text }) => ({
      id: tweetId(author, n),
      text,
      created_at: at,
      favorite_count: n,
      ...(shown === 'author' ? { author: reference(author) } : {}),
      ...(to && {
        in_reply_to_status_id: tweetId(to, n),
        in_reply_to_user_id: to.id,
        in_reply_to_screen_name: to.handle,
      }),
      ...(quoted && {
        quoted_status: {
          id: tweetId(quoted, 1),
          text: quoted.texts[0],
          author: reference(quoted),
        },
      }),
    }));

const entry = (tweet: object) => ({ entryId: 'tweet', sortIndex: '0', content: { tweet } });
const entries = (tweet: fc.Arbitrary<object>) => fc.array(tweet.map(entry), { maxLength: 6 });
/** Items that cannot be stored: their owner is unreadable. */
const broken = fc
  .option(anyone)
  .map((someone) => (someone ? [entry({ id: null, text: someone.texts[0], by: someone.id })] : []));
const anyTweets = fc
  .tuple(entries(anyone.chain((author) => tweetBy(author, 'author'))), broken)
  .map(([items, rejects]) => [...items, ...rejects]);

const timelinePage = (endpoint: 'user-tweets' | 'user-tweets-replies') =>
  anyone.chain((owner) =>
    fc.tuple(entries(tweetBy(owner, 'no author')), fc.option(fc.constant('next'))).map(([items, next]) => ({
      request: { endpoint, value: owner.id },
      data: {
        user: endpoint === 'user-tweets' ? { result: reference(owner) } : reference(owner),
        timeline: listOf(next === null ? items : [...items, bottom(next)]),
      },
    })),
  );

const peoplePage = (endpoint: 'followers' | 'following') =>
  fc.tuple(anyone, fc.array(summary, { maxLength: 6 })).map(([owner, users]) => ({
    request: { endpoint, value: owner.id },
    data: {
      user: reference(owner),
      [endpoint]: {
        timeline: listOf(users.map((user, i) => ({ entryId: `u${i}`, sortIndex: '0', content: { user } }))),
      },
    },
  }));

/** The owner of a list and the members of a community are no documented fields. */
const group = (value: string, named: fc.Arbitrary<Someone>) =>
  named.map((someone) => ({ id: value, name: 'Friends', description: 'of the park', owner: reference(someone) }));

export interface RandomPage {
  readonly request: PageRequest;
  readonly data: object;
}

export const randomPage: fc.Arbitrary<RandomPage> = fc.oneof(
  profile.map((data) => ({ request: { endpoint: 'user-profile' as const, value: data.userName.toLowerCase() }, data })),
  timelinePage('user-tweets'),
  timelinePage('user-tweets-replies'),
  peoplePage('followers'),
  peoplePage('following'),
  anyone
    .chain((author) => fc.tuple(tweetBy(author, 'author'), anyTweets))
    .map(([tweet, replies]) => ({
      request: { endpoint: 'tweet-detail' as const, value: tweet.id },
      data: { tweet: { ...tweet, rest_id: tweet.id, replies: { entries: replies } } },
    })),
  anyTweets.map((items) => ({
    request: { endpoint: 'search' as const, value: 'weather' },
    data: { search_metadata: { query: 'weather', count: items.length }, timeline: listOf(items) },
  })),
  fc.tuple(group('31', anyone), anyTweets).map(([community, items]) => ({
    request: { endpoint: 'community-tweets' as const, value: '31' },
    data: { community, tweets: listOf(items) },
  })),
  fc.tuple(group('32', anyone), anyTweets).map(([list, items]) => ({
    request: { endpoint: 'list-latest-tweets' as const, value: '32' },
    data: { list, tweets: { entries: items } },
  })),
);
