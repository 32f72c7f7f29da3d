import { capitalise } from '../../../../base/text.ts';
import type { ShipAnswer } from '../../../server/api/overview.ts';
import { Panel } from '../../components/panel.tsx';
import { ShareList } from '../../components/share-list.tsx';

/** What waits for each target of shipping; nothing without targets. */
export const ShipPanel = ({ targets }: { readonly targets: readonly ShipAnswer[] }) =>
  targets.length === 0 ? null : (
    <Panel id="ship" title="Shipping" note="The bar is full when crawls pause">
      <ShareList
        shares={targets.map((each) => ({
          key: each.target,
          name: each.target,
          amount: capitalise(each.sentence),
          share: each.waitingBytes / each.maxBacklogBytes,
          isLate: each.state !== 'current',
        }))}
      />
    </Panel>
  );
