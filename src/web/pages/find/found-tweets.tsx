import type { FoundTweetData } from '../../../dashboard/api/find.ts';
import { pluralize } from '../../../text.ts';
import { formatUtc } from '../../format.ts';
import { HiddenBadge } from './hidden-badge.tsx';
import { Marked } from './marked-text.tsx';

/** Found tweets, best first. */
export const FoundTweets = ({ tweets }: { readonly tweets: readonly FoundTweetData[] }) => (
  <ol class="found">
    {tweets.map((tweet) => (
      <li key={tweet.restId}>
        <Head tweet={tweet} />
        <p dir="auto" class="found-text">
          <Marked text={tweet.text} />
        </p>
        <Facts tweet={tweet} />
      </li>
    ))}
  </ol>
);

const Head = ({ tweet: { author, createdAt, state } }: { readonly tweet: FoundTweetData }) => (
  <p class="found-head">
    {author ? (
      <a href={`/accounts/${encodeURIComponent(`id:${author.restId}`)}`}>
        <bdi>{author.handle === null ? `id:${author.restId}` : `@${author.handle}`}</bdi>
      </a>
    ) : (
      <span class="muted">Unknown account</span>
    )}
    {author?.name != null && <bdi class="found-name">{author.name}</bdi>}
    {createdAt !== null && <time dateTime={new Date(createdAt).toISOString()}>{formatUtc(createdAt)}</time>}
    <HiddenBadge state={state} />
  </p>
);

function Facts({ tweet: { restId, likes, retweets, replies } }: { readonly tweet: FoundTweetData }) {
  const counts = [
    likes === null ? null : pluralize(likes, 'like'),
    retweets === null ? null : pluralize(retweets, 'retweet'),
    replies === null ? null : pluralize(replies, 'reply', 'replies'),
  ];
  return (
    <p class="found-facts">
      {counts.map((count) => count !== null && <span key={count}>{count}</span>)}
      <span>
        id <bdi>{restId}</bdi>
      </span>
      <a href={`/queries/conversation?tweet=${encodeURIComponent(restId)}`}>Conversation</a>
    </p>
  );
}
