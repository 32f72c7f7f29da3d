import type { FoundAccountData } from '../../../dashboard/api/find.ts';
import { pluralize } from '../../../text.ts';
import { formatUtc } from '../../format.ts';
import { HiddenBadge } from './hidden-badge.tsx';
import { Marked } from './marked-text.tsx';

/** Found accounts, best first. */
export const FoundAccounts = ({ accounts }: { readonly accounts: readonly FoundAccountData[] }) => (
  <ol class="found">
    {accounts.map((account) => (
      <li key={account.restId}>
        <Head account={account} />
        {account.biography.length > 0 && (
          <p dir="auto" class="found-text">
            <Marked text={account.biography} />
          </p>
        )}
        <Facts account={account} />
      </li>
    ))}
  </ol>
);

const Head = ({ account: { restId, handle, name, state } }: { readonly account: FoundAccountData }) => (
  <p class="found-head">
    <a href={`/accounts/${encodeURIComponent(`id:${restId}`)}`}>
      <bdi>
        {handle.length === 0 ? (
          `id:${restId}`
        ) : (
          <>
            @<Marked text={handle} />
          </>
        )}
      </bdi>
    </a>
    <bdi class="found-name">
      <Marked text={name} />
    </bdi>
    <HiddenBadge state={state} />
  </p>
);

const Facts = ({ account: { restId, followers, tweets, createdAt } }: { readonly account: FoundAccountData }) => (
  <p class="found-facts">
    {followers !== null && <span>{pluralize(followers, 'follower')}</span>}
    {tweets !== null && <span>{pluralize(tweets, 'tweet')}</span>}
    {createdAt !== null && <span>since {formatUtc(createdAt).slice(0, 10)}</span>}
    <span>id {restId}</span>
  </p>
);
