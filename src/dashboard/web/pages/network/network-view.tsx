import { useEffect, useRef, useState } from 'preact/hooks';
import type { Sigma } from 'sigma';
import { formatCount } from '#base/text.ts';
import type { NetworkData, NetworkNode } from '#dashboard/server/api/network.ts';
import { navigate } from '#dashboard/web/app/router.ts';
import { colorChanges } from '#dashboard/web/app/theme-switch.tsx';
import { AccountLink, hrefOfAccount } from '#dashboard/web/components/account-link.tsx';
import { type Column, DataTable } from '#dashboard/web/components/data-table.tsx';
import { Panel } from '#dashboard/web/components/panel.tsx';
import { StoreCommand } from '#dashboard/web/components/store-command.tsx';
import type { PlacedNode } from './layout-worker.ts';
// oxlint-disable-next-line import/default -- the build makes this module
// oxlint-disable-next-line import/default -- the build makes this module
import workerUrl from './layout-worker.ts?worker&url';
import {
  drawNetwork,
  type Community,
  describeGiven,
  describeSample,
  type NetworkScene,
  createLayoutOrder,
  nameCommunities,
} from './network-model.ts';

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

interface PictureProps {
  readonly scene: NetworkScene;
  /** What it shows, in a sentence: the table has the same. */
  readonly description: string;
}

/** The picture of a network. Pointing at an account shows its neighbours, a click opens its page. */
function NetworkPicture({ scene, description }: PictureProps) {
  const box = useRef<HTMLDivElement>(null);
  const drawing = useRef<Sigma>(undefined);
  const [isLost, setLost] = useState(false);
  const colors = colorChanges.value;
  useEffect(() => {
    try {
      drawing.current = drawNetwork(box.current!, scene);
      drawing.current.on('clickNode', ({ node }) => navigate(hrefOfAccount(scene.data.nodes[Number(node)]!.restId)));
    } catch {
      setLost(true);
    }
    return () => drawing.current?.kill();
  }, [scene, colors]);
  if (isLost || scene.places.length === 0)
    return <p class="banner">The picture cannot be drawn here. The table below has its accounts.</p>;
  return (
    <div class="network-picture">
      <div class="network-canvas" ref={box} role="img" aria-label={description} />
      <div class="network-zoom" role="group" aria-label="Zoom">
        {ZOOMS.map(([label, sign, method]) => (
          <button
            key={label}
            type="button"
            class="button"
            aria-label={label}
            onClick={() => void drawing.current?.getCamera()[method]()}
          >
            {sign}
          </button>
        ))}
      </div>
    </div>
  );
}

const ZOOMS = [
  ['Zoom in', '+', 'animatedZoom'],
  ['Zoom out', '−', 'animatedUnzoom'],
  ['Show the whole picture', '↔', 'animatedReset'],
] as const;

/** The content policy requires a trusted address for a worker. This one is a constant. */
const policy = (
  globalThis as {
    trustedTypes?: { createPolicy(name: string, rules: object): { createScriptURL(url: string): string } };
  }
).trustedTypes?.createPolicy('trawl-layout', { createScriptURL: (url: string) => url });

/**
 * Computes communities and positions in a worker. Until then, the scene is that of the network before; undefined for the first
 * one. Without places if the worker fails.
 */
function useScene(data: NetworkData, query: string): NetworkScene | undefined {
  const [scene, setScene] = useState<NetworkScene>();
  useEffect(() => {
    const order = createLayoutOrder(data);
    const show = (places: readonly PlacedNode[]): void => {
      const ranks = data.nodes.map((_, node) => places[node]?.rank ?? node);
      setScene({ query, data, order, places, communities: nameCommunities(data, order.ego, ranks) });
    };
    const worker = new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: 'module' });
    worker.addEventListener('message', (event: MessageEvent<PlacedNode[]>) => show(event.data));
    worker.addEventListener('error', () => show([]));
    worker.postMessage(order);
    return () => worker.terminate();
  }, [data]);
  return scene;
}
