import { useState } from 'preact/hooks';
import { pluralize } from '../../../../base/text.ts';
import type { PeriodData } from '../../../server/api/accounts.ts';
import type { GapBackfillPlan } from '../../../server/api/backfill.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { describeRequests, formatUtc } from '../../format-numbers.ts';
import { describeFailure } from '../../live/request-json.ts';
import { createCrawls, sendAction } from '../../live/send-action.ts';

type Gap = Pick<PeriodData, 'from' | 'to'> & { readonly restId: string };

/** Shows the plan of the backfill of a gap, and queues it after a confirmation. */
export function BackfillButton({ restId, from, to }: Gap) {
  const [plan, setPlan] = useState<GapBackfillPlan>();
  const [problem, setProblem] = useState('');
  const gap: Gap = { restId, from, to };

  async function showPlan(): Promise<void> {
    setProblem('');
    try {
      const next = await sendAction<GapBackfillPlan>('backfills/plan', gap);
      if (next.step === null) setProblem('A backfill has nothing left to fetch here.');
      else setPlan(next);
    } catch (error) {
      setProblem(describeFailure(error));
    }
  }

  return (
    <>
      <button type="button" class="button" onClick={() => void showPlan()}>
        Backfill<span class="visually-hidden"> from {formatUtc(from)}</span>
      </button>
      <span role="status">{problem}</span>
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
