import type { CrawlState } from '../../../server/api/overview.ts';
import type { JobRunOutcomeName } from '../../../server/api/schedules.ts';
import { StateBadge } from '../../components/state-badge.tsx';

/** The state of crawls that an outcome is like. */
const STATES: Readonly<Record<JobRunOutcomeName | 'missed', CrawlState>> = {
  succeeded: 'complete',
  partial: 'partial',
  failed: 'failed',
  cancelled: 'cancelled',
  unfinished: 'running',
  joined: 'cancelled',
  missed: 'partial',
};

/** The outcome of a run. */
export const RunBadge = ({ outcome }: { readonly outcome: keyof typeof STATES }) => (
  <StateBadge state={STATES[outcome]} label={outcome === 'joined' ? 'continued' : outcome} />
);
