import { useEffect, useMemo, useState } from 'preact/hooks';
import type { NetworkData } from '../../../dashboard/api/network.ts';
import { formatCount } from '../../../text.ts';
import { Panel } from '../../components/panel.tsx';
import { CommunityLegend } from './community-legend.tsx';
import { Downloads } from './downloads/downloads.tsx';
import { changeNetworkAddress, type NetworkAddress } from './network-address.ts';
import { createNetworkModel, nameCommunities } from './network-model.ts';
import { NodeCard } from './node-card.tsx';
import { NodeTable } from './node-table.tsx';
import { NetworkPicture } from './picture/network-picture.tsx';
import { isNodeShown, type PictureScene } from './picture/picture-scene.ts';
import { describeGiven, describeSample, SamplingNote } from './sampling-note.tsx';
import { useLayout } from './use-layout.ts';

/** A network: its picture, its legend and its nodes. */
export function NetworkView({ data, address }: { readonly data: NetworkData; readonly address: NetworkAddress }) {
  const model = useMemo(() => createNetworkModel(data), [data]);
  const layout = useLayout(model);
  const state = layout === 'failed' ? undefined : layout;
  const [hovered, setHovered] = useState(-1);
  const [selected, setSelected] = useState(-1);
  useEffect(() => {
    setHovered(-1);
    setSelected(-1);
  }, [model]);
  const hiddenKeys = address.hidden.join();
  const hidden = useMemo(() => new Set(hiddenKeys.split(',')), [hiddenKeys]);
  const { places } = state ?? {};
  const communities = useMemo(
    () => (layout === 'failed' ? nameCommunities(model, Uint16Array.from(data.nodes.keys())) : state?.communities),
    [layout === 'failed', model, state?.communities],
  );
  const scene = useMemo<PictureScene | undefined>(
    () => communities && places && { model, communities, hidden, at: places.at, radii: places.radii },
    [model, communities, hidden, places],
  );
  const shown = useMemo(
    () => data.nodes.flatMap((_, i) => (!communities || isNodeShown({ communities, hidden }, i) ? [i] : [])),
    [data, communities, hidden],
  );
  const lines = useMemo(() => describeSample(data, address), [data, address]);
  const title = `Network ${address.hasNeighbours ? 'around' : 'among'} ${describeGiven(data, address)}`;
  const active = hovered === -1 ? selected : hovered;
  const toggle = (key: string): void =>
    changeNetworkAddress(
      { hidden: hidden.has(key) ? address.hidden.filter((one) => one !== key) : [...address.hidden, key] },
      { isReplaced: true },
    );
  const given = {
    title: describeGiven(data, address),
    isShown: address.hasGiven,
    onToggle: () => changeNetworkAddress({ hasGiven: !address.hasGiven }, { isReplaced: true }),
  };
  return (
    <>
      <Panel
        id="picture"
        title={title}
        class="network-panel"
        note={<span role="status">{describeProgress(layout)}</span>}
      >
        <div class="network-layout">
          {layout === 'failed' ? (
            <p class="banner error" role="alert">
              <strong>The picture could not be computed.</strong> The table below has its accounts.
            </p>
          ) : scene ? (
            <NetworkPicture
              {...{ scene, active }}
              description={`${title}. ${lines.join(' ')}`}
              onHover={setHovered}
              onSelect={setSelected}
            />
          ) : (
            <div class="network-picture">
              <p class="loading">{describeProgress(layout)}…</p>
            </div>
          )}
          <div class="network-side">
            {communities && (
              <CommunityLegend
                {...{ communities, hidden, onToggle: toggle, given: address.hasNeighbours ? given : undefined }}
              />
            )}
            {communities && <NodeCard {...{ model, communities, node: active }} />}
          </div>
        </div>
        <SamplingNote lines={lines} command={data.command} />
        <Downloads {...{ scene: state?.share === 1 ? scene : undefined, shown, title, lines }} />
      </Panel>
      {communities && (
        <Panel id="nodes" title="Accounts" note={`${formatCount(shown.length)} in the picture`}>
          <NodeTable {...{ model, communities, shown, selected, onSelect: setSelected }} />
        </Panel>
      )}
    </>
  );
}

function describeProgress(layout: ReturnType<typeof useLayout>): string {
  if (layout === 'failed') return '';
  if (layout === undefined) return 'Detecting communities';
  // Few changes: each one is read out.
  return layout.share === 1 ? '' : 'Laying out';
}
