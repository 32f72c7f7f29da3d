import { formatCount } from '../../../text.ts';
import { formatNetworkAddress } from './network-address.ts';
import { type Communities, EGO_COLOR, type NetworkModel } from './network-model.ts';
import { describeLists } from './node-table.tsx';

interface CardProps {
  readonly model: NetworkModel;
  readonly communities: Communities;
  /** The node to describe; -1 for none. */
  readonly node: number;
}

/** What is known of the highlighted node, with links to its pages. */
export function NodeCard({ model, communities, node }: CardProps) {
  const found = model.data.nodes[node];
  if (!found) return <p class="node-card muted">Point at an account to see its neighbours; click to keep them.</p>;
  const { restId, label, name, followers } = found;
  const community = communities.list[communities.of[node]!];
  return (
    <div class="node-card">
      <p class="node-card-title">
        <i aria-hidden="true" style={{ background: `var(--${community?.color ?? EGO_COLOR})` }} />
        <bdi class="clamp" title={label}>
          {label}
        </bdi>
      </p>
      <p class="muted clamp">
        <bdi title={name ?? ''}>{name}</bdi>
      </p>
      <dl>
        <div>
          <dt>Followers</dt>
          <dd>{followers === null ? '–' : formatCount(followers)}</dd>
        </div>
        <div>
          <dt>Follows here</dt>
          <dd>{formatCount(model.followed[node]!)}</dd>
        </div>
        <div>
          <dt>Followed here by</dt>
          <dd>{formatCount(model.followedBy[node]!)}</dd>
        </div>
        <div>
          <dt>Collected lists</dt>
          <dd>{describeLists(found)}</dd>
        </div>
      </dl>
      <p class="node-links">
        <a href={`/accounts/${encodeURIComponent(`id:${restId}`)}`}>Account</a>
        <a
          href={formatNetworkAddress({
            accounts: [`id:${restId}`],
            panel: null,
            hasNeighbours: true,
            hasGiven: true,
            hidden: [],
          })}
        >
          Network around it
        </a>
      </p>
    </div>
  );
}
