import { capitalise } from '../../../../base/text.ts';
import type { ShipAnswer } from '../../../server/api/overview.ts';
import { Panel } from '../../components/panel.tsx';
import { ShareBar } from '../../components/share-bar.tsx';

/** What waits for each target of shipping; nothing without targets. */
export const ShipPanel = ({ targets }: { readonly targets: readonly ShipAnswer[] }) =>
  targets.length === 0 ? null : (
    <Panel id="ship" title="Shipping" note="The bar is full when crawls pause">
      <ol class="shares">
        {targets.map((each) => (
          <li key={each.target} class={each.state === 'current' ? '' : 'warn'}>
            <span class="clamp" title={each.target}>
              <bdi>{each.target}</bdi>
            </span>
            <span>{capitalise(each.sentence)}</span>
            <ShareBar share={each.waitingBytes / each.maxBacklogBytes} />
          </li>
        ))}
      </ol>
    </Panel>
  );
