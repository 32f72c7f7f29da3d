import type { ComponentChildren } from 'preact';
import { pluralize } from '../../../../base/text.ts';
import { formatDay } from '../../../../base/units.ts';
import type { FoundAccountData, FoundTweetData, MarkedText } from '../../../server/api/find.ts';
import { AccountLink, formatHandle } from '../../components/account-link.tsx';
import { formatUtc } from '../../format-numbers.ts';

/** Found tweets, best first. */
export const FoundTweets = ({ tweets }: { readonly tweets: readonly FoundTweetData[] }) => (
  <ol class="rows">
    {tweets.map(({ restId, author, createdAt, state, text, likes, retweets, replies }) => (
      <Item
        key={restId}
        restId={author?.restId}
        handle={author && formatHandle(author)}
        name={author?.name}
        state={state}
        text={text}
        facts={[
          createdAt !== null && formatUtc(createdAt),
          likes !== null && pluralize(likes, 'like'),
          retweets !== null && pluralize(retweets, 'retweet'),
          replies !== null && pluralize(replies, 'reply', 'replies'),
          `id ${restId}`,
          <a href={`/queries/conversation?tweet=${encodeURIComponent(restId)}`}>Conversation</a>,
        ]}
      />
    ))}
  </ol>
);

/** Found accounts, best first. */
export const FoundAccounts = ({ accounts }: { readonly accounts: readonly FoundAccountData[] }) => (
  <ol class="rows">
    {accounts.map(({ restId, handle, name, state, biography, followers, tweets, createdAt }) => (
      <Item
        key={restId}
        restId={restId}
        handle={handle.length === 0 ? `id:${restId}` : <Marked text={[{ text: '@', isMatch: false }, ...handle]} />}
        name={<Marked text={name} />}
        state={state}
        text={biography}
        facts={[
          followers !== null && pluralize(followers, 'follower'),
          tweets !== null && pluralize(tweets, 'tweet'),
          createdAt !== null && `since ${formatDay(createdAt)}`,
          `id ${restId}`,
        ]}
      />
    ))}
  </ol>
);

/** Why a result is left out unless it is asked for. */
const STATES = { deleted: 'Deleted', account_unavailable: 'Account unavailable' } as const;

/** A result: the account, a text whose matching parts are marked, and facts. */
const Item = (props: {
  readonly restId: string | undefined;
  readonly handle: ComponentChildren;
  readonly name: ComponentChildren;
  readonly state: FoundTweetData['state'];
  readonly text: MarkedText;
  readonly facts: readonly ComponentChildren[];
}) => (
  <li>
    <p class="row">
      {props.restId === undefined ? (
        <span class="muted">Unknown account</span>
      ) : (
        <AccountLink restId={props.restId} handle={props.handle} name={props.name} />
      )}
      {props.state !== null && <strong class="warn">{STATES[props.state]}</strong>}
    </p>
    <p dir="auto">
      <Marked text={props.text} />
    </p>
    <p class="row muted">{props.facts.map((fact, i) => fact !== false && <span key={i}>{fact}</span>)}</p>
  </li>
);

/** The server sends parts of a text and no markup. */
const Marked = ({ text }: { readonly text: MarkedText }) => (
  <>{text.map((part, i) => (part.isMatch ? <mark key={i}>{part.text}</mark> : part.text))}</>
);
