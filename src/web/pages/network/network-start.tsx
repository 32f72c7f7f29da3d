import type { AccountSuggestion, NetworkSuggestions } from '../../../dashboard/api/network.ts';
import { pluralize } from '../../../text.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Panel } from '../../components/panel.tsx';
import { StoreCommand } from '../../components/store-command.tsx';
import { formatNetworkAddress } from './network-address.ts';

/** The number of accounts in a list. */
const LISTS: Readonly<Record<AccountSuggestion['list'], (n: number) => string>> = {
  followers: (n) => pluralize(n, 'follower'),
  following: (n) => pluralize(n, 'followed account'),
};

/** What a network can be shown of, while nothing is given. */
export function NetworkStart({ suggestions }: { readonly suggestions: NetworkSuggestions }) {
  const { panels, accounts } = suggestions;
  if (panels.length === 0 && accounts.length === 0)
    return (
      <EmptyState title="No list of accounts was collected" action={<StoreCommand command="crawl following @nasa" />}>
        A network is drawn from collected lists of followers and followed accounts.
      </EmptyState>
    );
  return (
    <div class="network-start">
      <p class="muted">Choose whose network to show. Follows are known from collected lists only.</p>
      {panels.length > 0 && (
        <Panel id="panels" title="Panels">
          <ul class="suggestions">
            {panels.map(({ name, description, members }) => (
              <li key={name}>
                <a href={formatNetworkAddress({ panel: name })}>
                  <bdi>{name}</bdi>
                </a>
                <span class="muted">{pluralize(members, 'account')}</span>
                {description !== null && <bdi class="muted clamp">{description}</bdi>}
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {accounts.length > 0 && (
        <Panel id="accounts" title="Accounts with collected lists" note="The longest lists first">
          <ul class="suggestions">
            {accounts.map(({ restId, label, name, list, collected }) => (
              <li key={restId}>
                <a href={formatNetworkAddress({ accounts: [`id:${restId}`] })}>
                  <bdi>{label}</bdi>
                </a>
                <span class="muted">{LISTS[list](collected)}</span>
                {name !== null && <bdi class="muted clamp">{name}</bdi>}
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </div>
  );
}
