import { useState } from 'preact/hooks';
import { pluralize } from '../../../../base/text.ts';
import type { PeriodData } from '../../../server/api/accounts.ts';
import type { GapBackfillPlan } from '../../../server/api/backfill.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { describeRequests, formatUtc } from '../../format-numbers.ts';
import { createCrawls, sendAction } from '../../live/send-action.ts';
import { useAttempt } from '../../live/use-attempt.ts';

type Gap = Pick<PeriodData, 'from' | 'to'> & { readonly restId: string };

/** Shows the plan of the backfill of a gap, and queues it after a confirmation. */
export function BackfillButton({ restId, from, to }: Gap) {
  const [plan, setPlan] = useState<GapBackfillPlan>();
  const { isBusy, problem, attempt } = useAttempt();
  const gap: Gap = { restId, from, to };

  const showPlan = (): Promise<void> => attempt(async () => setPlan(await sendAction('backfills/plan', gap)));

  return (
    <>
      <button type="button" class="button" aria-busy={isBusy} onClick={() => void showPlan()}>
        Backfill<span class="visually-hidden"> from {formatUtc(from)}</span>
      </button>
      <span role="status">{plan?.step === null ? 'A backfill has nothing left to fetch here.' : problem}</span>
      {plan?.step != null && (
        <ConfirmDialog
          title="Plan of the backfill"
          action={`Queue ${pluralize(plan.crawls, 'crawl')}`}
          run={() => createCrawls('backfills/create', { ...gap, step: plan.step, expected: plan.crawls })}
          onClose={() => setPlan(undefined)}
        >
          <p>
            {formatUtc(from)} to {formatUtc(to)}
          </p>
          <p>{STEPS[plan.step]}</p>
          <p>Planned: {describeRequests(plan)}.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

const STEPS: Readonly<Record<NonNullable<GapBackfillPlan['step']>, string>> = {
  timeline:
    'A crawl of the timeline, as far as it reaches or is needed. When it has ended, a backfill of what is left searches for the rest.',
  'page size':
    'A search without dates shows how many tweets a page has. When it has ended, a backfill of the same period searches it.',
  search: 'Searches by windows of days, which are bisected while their halves show more tweets.',
};
