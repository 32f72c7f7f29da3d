import { formatCount } from '../../../../base/text.ts';
import type { NetworkData, NetworkNode } from '../../../server/api/network.ts';
import { AccountLink } from '../../components/account-link.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Panel } from '../../components/panel.tsx';
import { StoreCommand } from '../../components/store-command.tsx';
import { type Community, describeGiven, describeSample, type NetworkScene } from './network-model.ts';
import { NetworkPicture } from './network-picture.tsx';
import { useScene } from './use-scene.ts';

/** A network: its picture, its legend and its nodes. Until another one is laid out, it stays. */
export function NetworkView(props: {
  readonly data: NetworkData;
  readonly query: string;
  /** Another one is read. */
  readonly isBusy: boolean;
}) {
  const scene = useScene(props.data, props.query);
  if (!scene) return <p class="loading">Laying out…</p>;
  const { data, query, communities } = scene;
  const isBusy = props.isBusy || data !== props.data;
  const title = describeGiven(scene);
  const sample = describeSample(data);
  return (
    <>
      <Panel
        id="picture"
        class={isBusy ? 'busy' : ''}
        title={title}
        note={<span role="status">{isBusy && 'Laying out…'}</span>}
      >
        <NetworkPicture scene={scene} description={`${title}. ${sample}`} />
        <ul class="row" aria-label="Detected communities">
          {communities.map(({ key, title: name, members, color }) => (
            <li key={key}>
              <i class="dot" style={{ background: `var(--${color})` }} /> {name}{' '}
              <span class="muted">{formatCount(members.length)}</span>
            </li>
          ))}
        </ul>
        <p class="more">
          {sample} A community is named after its most followed account; larger circles have more follows.{' '}
          {data.command !== null && (
            <>
              <StoreCommand command={data.command} /> collects more follows.{' '}
            </>
          )}
          <a href={`/api/network/network.gexf?${query}`} download>
            Download GEXF
          </a>
        </p>
      </Panel>
      <NodePanel scene={scene} />
    </>
  );
}

type Row = NetworkNode & Pick<Community, 'title' | 'color'> & { readonly follows: number; readonly followedBy: number };

const COLUMNS: readonly Column<Row>[] = [
  ['Account', ({ restId, label, name }) => <AccountLink restId={restId} handle={label} name={name} />, 'head'],
  [
    'Community',
    ({ title, color }) => (
      <>
        <span style={{ color: `var(--${color})` }}>●</span> {title}
      </>
    ),
  ],
  ['Followers', ({ followers }) => (followers === null ? '–' : formatCount(followers)), 'number'],
  ['Follows here', ({ follows }) => formatCount(follows), 'number'],
  ['Followed here by', ({ followedBy }) => formatCount(followedBy), 'number'],
  ['Collected lists', ({ lists }) => lists.join(', ') || 'not collected'],
];

/** The nodes of the picture as a table, the most followed ones first. */
function NodePanel({ scene: { data, communities } }: { readonly scene: NetworkScene }) {
  const followedBy = data.nodes.map(() => 0);
  for (const node of data.follows.flat()) followedBy[node]!++;
  const communityOf = new Map(communities.flatMap((one) => one.members.map((node) => [node, one] as const)));
  const rows = data.nodes.map((node, i): Row => {
    const { title, color } = communityOf.get(i)!;
    return { ...node, title, color, follows: data.follows[i]!.length, followedBy: followedBy[i]! };
  });
  return (
    <Panel id="nodes" title="Accounts" note={`${formatCount(rows.length)} in the picture`}>
      <DataTable caption="Accounts of the network" columns={COLUMNS} rows={rows} keyOf={({ restId }) => restId} />
    </Panel>
  );
}
