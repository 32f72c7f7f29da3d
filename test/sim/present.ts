import { type Account, type Edge, type Group, isThere, type Post, type Truth } from './truth.ts';

/** Behaviour of the service that the specification leaves open. */
export interface Traits {
  /** Items per page, of lists with a cursor and without. */
  readonly page: number;
  readonly single: number;
  /** How a list ends: without a cursor, with one to an empty page, or with empty pages that never stop. */
  readonly end: 'none' | 'empty page' | 'same cursor' | 'new cursors';
  /** Whether a pinned tweet is on top and in its place, or on top only. */
  readonly pinned: 'twice' | 'moved' | 'not';
  /** Users newest first, or in no order. */
  readonly people: 'newest first' | 'mixed';
  /** Whether endpoints without a documented cursor have one. */
  readonly moreCursors: boolean;
  /** Whether an account without tweets is a 404. */
  readonly emptyIs404: boolean;
  /** Percentage of optional fields that are absent or null. */
  readonly sparse: number;
  /** Whether handles are case-sensitive. */
  readonly cased?: boolean;
  /** How long a response of `following` is cached, in milliseconds; absent: not at all. */
  readonly followingCache?: number;
  /** Whether the second page of a list equals the first when it is requested the first time, as from a cache. */
  readonly repeatsFirstPage?: boolean;
  /** How many more followers and followed accounts are counted than listed. */
  readonly hidden?: number;
}

export interface Presented {
  readonly status: number;
  readonly data?: unknown;
}

type Parameters = Readonly<Record<string, string>>;

/** The parts of a tweet that an endpoint shows. */
interface Show {
  readonly author?: boolean;
  readonly nested?: boolean;
  readonly detail?: boolean;
}

const formatTime = (at: number): string => new Date(at).toISOString();
const NOT_FOUND: Presented = { status: 404 };
const BAD_REQUEST: Presented = { status: 400 };

/** Returns the response at a time, without faults. */
export function present(
  endpoint: string,
  parameters: Parameters,
  { truth, traits, now }: { truth: Truth; traits: Traits; now: number },
): Presented {
  const account = (id: string | undefined): Account | undefined =>
    truth.accounts.find((one) => one.id === id && isThere(one, now));
  const visiblePosts = truth.posts.filter((one) => isThere(one, now) && account(one.author));
  const { hidden = 0 } = traits;
  const followers = (id: string): number => hidden + liveEdges().filter(({ followee }) => followee === id).length;
  const following = (id: string): number => hidden + liveEdges().filter(({ follower }) => follower === id).length;
  const replies = (id: string): Post[] => visiblePosts.filter(({ replyTo }) => replyTo?.id === id);
  const { cursor } = parameters;

  function liveEdges(): Edge[] {
    return truth.edges.filter((edge) => isThere(edge, now) && account(edge.follower) && account(edge.followee));
  }

  /** Removes optional fields or sets them to null, deterministically. */
  function omitFields<T extends object>(key: string, item: T): T {
    if (traits.sparse === 0) return item;
    const kept = Object.entries(item).flatMap(([name, value]) => {
      if (name === 'id' || name === 'rest_id' || name === 'userName' || name === 'screen_name') return [[name, value]];
      const mark = hash(`${key} ${name}`) % 100;
      if (mark >= traits.sparse) return [[name, value]];
      return mark % 2 === 0 ? [] : [[name, null]];
    });
    return Object.fromEntries(kept) as T;
  }

  const image = ({ id, variant }: Account): string => `https://img.example/${id}/${variant}.jpg`;
  const reference = ({ id, name, handle }: Account) => ({ id, rest_id: id, name, screen_name: handle });
  const author = (one: Account) => ({
    id: one.id,
    name: one.name,
    screen_name: one.handle,
    ...(hash(one.id) % 2 === 0
      ? {
          rest_id: one.id,
          profile_image_url: image(one),
        }
      : {}),
  });
  const summary = (one: Account) =>
    omitFields(`summary ${one.id} ${one.variant}`, {
      ...reference(one),
      profile_image_url: image(one),
      description: one.description,
      followers_count: followers(one.id),
      following_count: following(one.id),
      verified: hash(one.id) % 3 === 0,
    });
  const profile = (one: Account) =>
    omitFields(`profile ${one.id} ${one.variant}`, {
      type: 'user',
      userName: one.handle,
      url: `https://mb.example/${one.handle}`,
      id: one.id,
      name: one.name,
      isBlueVerified: one.variant === 1,
      profilePicture: image(one),
      coverPicture: 'https://img.example/c',
      description: one.description,
      location: `Street ${one.variant}`,
      followers: followers(one.id),
      following: following(one.id),
      canDm: one.variant === 0,
      createdAt: formatTime(one.createdAt),
      favouritesCount: one.version,
      hasCustomTimelines: true,
      isTranslator: false,
      mediaCount: 1,
      statusesCount: visiblePosts.filter((post) => post.author === one.id).length,
    });

  function tweet(post: Post, show: Show = {}) {
    const core = { id: post.id, text: post.text, created_at: formatTime(post.createdAt) };
    const by = show.author ? { author: author(account(post.author)!) } : {};
    if (show.nested) return { ...core, ...by };
    const { replyTo } = post;
    const answered = replyTo && truth.accounts.find(({ id }) => id === replyTo.author)!;
    return {
      ...omitFields(`tweet ${post.id} ${post.likes}`, {
        ...core,
        favorite_count: post.likes,
        retweet_count: post.likes >> 1,
        quote_count: post.likes >> 2,
        reply_count: replies(post.id).length,
        has_media: post.media > 0,
        ...(answered && !show.detail
          ? {
              in_reply_to_status_id: replyTo.id,
              in_reply_to_user_id: replyTo.author,
              in_reply_to_screen_name: answered.handle,
            }
          : {}),
      }),
      ...(show.detail ? { rest_id: post.id } : {}),
      media: Array.from({ length: post.media }, (_, i) => ({
        type: 'photo',
        url: `https://img.example/${post.id}/${i}`,
      })),
      ...by,
    };
  }

  const tweetEntry = (post: Post, show?: Show) => ({
    entryId: `tweet-${post.id}`,
    sortIndex: post.id,
    content: { tweet: tweet(post, show) },
  });

  /** Returns the page of a list after a cursor. */
  function pageOf<T>(all: readonly T[], keyOf: (one: T) => string, size: number, isPaged: boolean) {
    const [after, turn = 0] = cursor === undefined ? [] : openCursor(cursor)!;
    // By key, not by position, so that changes move nothing.
    const rest = after === undefined ? all : all.filter((one) => keyOf(one) > after);
    const shown = rest.slice(0, size);
    const last = shown.at(-1);
    const encodeCursor = (key: string, n: number) => Buffer.from(JSON.stringify([key, n])).toString('base64url');
    let next: string | null = null;
    if (rest.length > shown.length || (last !== undefined && traits.end !== 'none'))
      next = encodeCursor(keyOf(last!), 0);
    else if (last === undefined && traits.end === 'same cursor') next = cursor ?? encodeCursor('', 0);
    else if (last === undefined && traits.end === 'new cursors') next = encodeCursor(after ?? '', turn + 1);
    return { shown, next: isPaged ? next : null };
  }

  const newest = (posts: readonly Post[]): Post[] => posts.toSorted((a, b) => (newestKey(a) < newestKey(b) ? -1 : 1));
  const entryCursor = (next: string | null) =>
    next === null
      ? []
      : [
          {
            entryId: `cursor-bottom-${next}`,
            sortIndex: '0',
            content: {
              entryType: 'TimelineTimelineCursor',
              __typename: 'TimelineTimelineCursor',
              value: next,
              cursorType: 'Bottom',
            },
          },
        ];

  function timeline(posts: readonly Post[], isPaged: boolean, show?: Show, top?: Post) {
    const below = traits.pinned === 'moved' && top ? posts.filter(({ id }) => id !== top.id) : posts;
    const size = isPaged ? traits.page : traits.single;
    const { shown, next } = pageOf(newest(below), newestKey, size, isPaged || traits.moreCursors);
    const first = top && cursor === undefined ? [tweetEntry(top, show)] : [];
    return [...first, ...shown.map((post) => tweetEntry(post, show)), ...entryCursor(next)];
  }

  function ownTweets(withReplies: boolean): Presented {
    const owner = account(parameters['restId']);
    if (!owner) return NOT_FOUND;
    const own = visiblePosts.filter((post) => post.author === owner.id && (withReplies || !post.replyTo));
    if (own.length === 0 && traits.emptyIs404 && cursor === undefined) return NOT_FOUND;
    const top = traits.pinned === 'not' ? undefined : own.find(({ id }) => id === owner.pinned);
    const entries = timeline(own, !withReplies, {}, top);
    const user = withReplies ? reference(owner) : { result: reference(owner) };
    return { status: 200, data: { user, timeline: { instructions: [{ entries }] } } };
  }

  function people(side: 'followers' | 'following'): Presented {
    const owner = account(parameters['restId']);
    if (!owner) return NOT_FOUND;
    const [own, other] =
      side === 'followers' ? (['followee', 'follower'] as const) : (['follower', 'followee'] as const);
    const keyOf = ({ id }: Edge) =>
      traits.people === 'newest first' ? String(2e6 - id) : String(1e9 + (hash(`${id}`) % 1e8)) + String(id);
    const edges = liveEdges()
      .filter((edge) => edge[own] === owner.id)
      .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    const { shown, next } = pageOf(edges, keyOf, traits.page, true);
    const entries = shown.map((edge) => ({
      entryId: `user-${edge[other]}`,
      sortIndex: String(edge.id),
      content: { user: summary(account(edge[other])!) },
    }));
    const bottom = next === null ? {} : { cursor: { value: next, cursorType: 'Bottom' } };
    return {
      status: 200,
      data: { user: reference(owner), [side]: { timeline: { instructions: [{ entries, ...bottom }] } } },
    };
  }

  if (cursor !== undefined && openCursor(cursor) === undefined) return BAD_REQUEST;
  const group = ({ id, name }: Group) => ({ id, name, description: `About ${name}` });

  switch (endpoint) {
    case 'user-profile': {
      const requested = parameters['screenName'] ?? '';
      const isAsked = ({ handle }: Account): boolean =>
        traits.cased ? handle === requested : handle.toLowerCase() === requested.toLowerCase();
      const one = truth.accounts.find((each) => isAsked(each) && isThere(each, now));
      return one ? { status: 200, data: profile(one) } : NOT_FOUND;
    }
    case 'user-tweets':
      return ownTweets(false);
    case 'user-tweets-replies':
      return ownTweets(true);
    case 'followers':
    case 'following':
      return people(endpoint);
    case 'tweet-detail': {
      const post = visiblePosts.find(({ id }) => id === parameters['restId']);
      if (!post) return NOT_FOUND;
      const below = newest(replies(post.id)).map((reply) => tweetEntry(reply, { author: true, nested: true }));
      const shown = { ...tweet(post, { author: true, detail: true }), replies: { entries: below } };
      return { status: 200, data: { tweet: shown } };
    }
    case 'search': {
      const query = parameters['rawQuery'] ?? '';
      const found = visiblePosts.filter((post) => matches(query, post, account(post.author)!));
      // Ranked by the words alone, so a burst is most relevant in every window around it.
      const words = query.replaceAll(/ (since|until):\S+/g, '');
      const keyOf = (post: Post) => String(1e9 + (hash(`${words}${post.id}`) % 1e9)) + post.id;
      const inOrder = found.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
      const { shown, next } = pageOf(inOrder, keyOf, traits.single, traits.moreCursors);
      const entries = [...shown.map((post) => tweetEntry(post, { author: true })), ...entryCursor(next)];
      return {
        status: 200,
        data: { search_metadata: { query, count: shown.length }, timeline: { instructions: [{ entries }] } },
      };
    }
    case 'community-tweets': {
      const community = truth.communities.find(({ id }) => id === parameters['communityId']);
      if (!community) return NOT_FOUND;
      const posts = visiblePosts.filter((post) => post.community === community.id);
      const entries = timeline(posts, false, { author: true });
      return { status: 200, data: { community: group(community), tweets: { instructions: [{ entries }] } } };
    }
    case 'list-latest-tweets': {
      const list = truth.lists.find(({ id }) => id === parameters['listId']);
      if (!list) return NOT_FOUND;
      const posts = visiblePosts.filter((post) => list.members.includes(post.author));
      return {
        status: 200,
        data: { list: group(list), tweets: { entries: timeline(posts, false, { author: true }) } },
      };
    }
    default:
      // An endpoint that the simulated service lacks.
      return NOT_FOUND;
  }
}

/** Sorts newest first, then by id. */
const newestKey = ({ createdAt, id }: Post): string => `${9e15 - createdAt} ${1e9 - Number(id)}`;

/** Undefined for a text that is no cursor. */
function openCursor(cursor: string): [string, number] | undefined {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string, number];
  } catch {
    return undefined;
  }
}

export function matches(query: string, post: Post, author: Account): boolean {
  return query.split(' ').every((term) => {
    if (term.startsWith('from:')) return author.handle.toLowerCase() === term.slice(5).toLowerCase();
    if (term.startsWith('since:')) return post.createdAt >= Date.parse(term.slice(6));
    if (term.startsWith('until:')) return post.createdAt < Date.parse(term.slice(6));
    return post.text.toLowerCase().includes(term.toLowerCase());
  });
}

/** Returns a deterministic number for a text. */
export function hash(text: string): number {
  let h = 2166136261;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 16777619);
  return (h ^ (h >>> 15)) >>> 0;
}
