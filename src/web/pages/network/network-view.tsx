import { useMemo } from 'preact/hooks';
import type { NetworkData } from '../../../dashboard/api/network.ts';
import { formatCount } from '../../../text.ts';
import { Panel } from '../../components/panel.tsx';
import { StoreCommand } from '../../components/store-command.tsx';
import type { NetworkScene } from './draw-network.ts';
import { changeNetworkAddress, formatNetworkQuery, type NetworkAddress } from './network-address.ts';
import { type Community, createLayoutOrder, describeGiven, describeSample, nameCommunities } from './network-model.ts';
import { NetworkPicture } from './network-picture.tsx';
import { useLayout } from './use-layout.ts';

/** A network: its picture, its legend and its nodes. */
export function NetworkView({ data, address }: { readonly data: NetworkData; readonly address: NetworkAddress }) {
  const order = useMemo(() => createLayoutOrder(data), [data]);
  const places = useLayout(order);
  const scene = useMemo(() => {
    if (places === undefined) return undefined;
    const ranks = data.nodes.map((_, node) => places[node]?.rank ?? node);
    return { data, order, places, communities: nameCommunities(data, order.ego, ranks) };
  }, [places]);
  const hidden = useMemo(() => new Set(address.hidden), [address.hidden.join()]);
  const title = describeGiven(data, address);
  const sample = describeSample(data);
  return (
    <>
      <Panel id="picture" title={title} note={<span role="status">{scene ? '' : 'Laying out…'}</span>}>
        <div class="network-layout">
          {scene ? (
            <NetworkPicture scene={scene} hidden={hidden} description={`${title}. ${sample}`} />
          ) : (
            <div class="network-picture" />
          )}
          {scene && <CommunityLegend communities={scene.communities} hidden={address.hidden} />}
        </div>
        <p class="network-note">
          {sample}{' '}
          {data.command !== null && (
            <>
              <StoreCommand command={data.command} /> collects more of them.{' '}
            </>
          )}
          <a href={`/api/network/network.gexf?${formatNetworkQuery(address)}`} download>
            Download GEXF
          </a>
        </p>
      </Panel>
      {scene && <NodeTable scene={scene} hidden={hidden} />}
    </>
  );
}

/** The communities with their colours; each can be hidden. */
const CommunityLegend = (props: { readonly communities: readonly Community[]; readonly hidden: readonly string[] }) => (
  <fieldset class="network-legend">
    <legend>Detected communities</legend>
    {props.communities.map(({ key, title, members, color }) => {
      const others = props.hidden.filter((one) => one !== key);
      const isShown = others.length === props.hidden.length;
      return (
        <label key={key}>
          <input
            type="checkbox"
            checked={isShown}
            onChange={() => changeNetworkAddress({ hidden: isShown ? [...props.hidden, key] : others })}
            style={{ accentColor: `var(--${color})` }}
          />
          <span class="clamp" title={title}>
            {title}
          </span>
          <span class="muted">{formatCount(members.length)}</span>
        </label>
      );
    })}
  </fieldset>
);

const COLUMNS = ['Account', 'Community', 'Followers', 'Follows here', 'Followed here by', 'Collected lists'];

/** The nodes of the picture as a table, the most followed ones first. */
function NodeTable(props: { readonly scene: NetworkScene; readonly hidden: ReadonlySet<string> }) {
  const { data, communities } = props.scene;
  const shown = communities
    .filter(({ key }) => !props.hidden.has(key))
    .flatMap(({ title, color, members }) => members.map((node) => ({ ...data.nodes[node]!, node, title, color })))
    .toSorted((a, b) => a.node - b.node);
  const followedBy = data.nodes.map(() => 0);
  for (const node of data.follows.flat()) followedBy[node]!++;
  return (
    <Panel id="nodes" title="Accounts" note={`${formatCount(shown.length)} in the picture`}>
      <div class="node-scroll" tabIndex={0} role="region" aria-label="Accounts of the network">
        <table>
          <thead>
            <tr>
              {COLUMNS.map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ node, restId, label, name, title, color, followers, lists }) => (
              <tr key={restId}>
                <th scope="row">
                  <a href={`/accounts/${encodeURIComponent(`id:${restId}`)}`}>
                    <bdi>{label}</bdi>
                  </a>
                  <bdi class="muted clamp">{name}</bdi>
                </th>
                <td>
                  <span style={{ color: `var(--${color})` }}>●</span> {title}
                </td>
                <td>{followers === null ? '–' : formatCount(followers)}</td>
                <td>{formatCount(data.follows[node]!.length)}</td>
                <td>{formatCount(followedBy[node]!)}</td>
                <td>{lists.join(', ') || 'not collected'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}
