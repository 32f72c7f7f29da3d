import { capitalise } from '../../../../base/text.ts';
import type { JobLine } from '../../../server/api/schedules.ts';
import { StoreCommand } from '../../components/store-command.tsx';
import { overview } from '../../live/live-updates.ts';

/** The workers that start the runs, in words; false without any, which the banner says. */
export function describeWorkers(): string | false {
  const work = overview.value?.work;
  return work?.state === 'running' && capitalise(work.sentence);
}

/** Says why runs do not start: no worker is running, or the queue does not answer. Disabled jobs need neither. */
export function WorkerBanner({ jobs }: { readonly jobs: readonly Pick<JobLine, 'isEnabled'>[] }) {
  const work = overview.value?.work;
  if (!work || !jobs.some(({ isEnabled }) => isEnabled)) return null;
  if (work.state === 'unknown')
    return (
      <div class="banner error" role="alert">
        <strong>The queue does not answer: whether a worker runs is not known.</strong> Jobs and runs are shown as the
        database has them. Due runs start when Redis is back.
      </div>
    );
  if (work.state === 'running') return null;
  return (
    <div class="banner warning">
      <strong>{capitalise(work.sentence)}.</strong> Runs start while <StoreCommand command="work" /> runs; missed runs
      are replaced by one run.
    </div>
  );
}
