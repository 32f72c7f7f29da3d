import { pluralize } from '../../../../base/text.ts';
import { formatBytes, formatDuration } from '../../../../base/units.ts';
import type { ShipData } from '../../../server/api/overview.ts';
import { Panel } from '../../components/panel.tsx';
import { ShareBar } from '../../components/share-bar.tsx';

/** What waits for each target of shipping; nothing without targets. */
export const ShipPanel = ({ targets }: { readonly targets: readonly ShipData[] }) =>
  targets.length === 0 ? null : (
    <Panel id="ship" title="Shipping" note="The bar is full when crawls pause">
      <ol class="shares">
        {targets.map((each) => (
          <li key={each.target} class={each.isLate ? 'warn' : ''}>
            <span class="clamp" title={each.target}>
              <bdi>{each.target}</bdi>
            </span>
            <span>{describeLag(each)}</span>
            <ShareBar share={each.bytes / each.maxBytes} />
          </li>
        ))}
      </ol>
    </Panel>
  );

function describeLag({ entries, bytes, lagMs, isSnapshotDue }: ShipData): string {
  if (isSnapshotDue) return 'Its snapshot is due';
  if (entries === 0) return 'Nothing waits';
  return `${pluralize(entries, 'entry', 'entries')}, ${formatBytes(bytes)}, ${formatDuration(lagMs)} behind`;
}
