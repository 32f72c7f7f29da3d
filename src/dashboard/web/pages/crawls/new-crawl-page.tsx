import { useState } from 'preact/hooks';
import { pluralize } from '../../../../base/text.ts';
import type { CrawlKindData, NewCrawlPlan } from '../../../server/api/new-crawl.ts';
import { FACTS } from '../../app/facts.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { StoreCommand } from '../../components/store-command.tsx';
import { describeRequests } from '../../format-numbers.ts';
import { describeFailure } from '../../live/request-json.ts';
import { createCrawls, sendAction } from '../../live/send-action.ts';
import { useData } from '../../live/use-data.ts';

/** The form of new crawls. Their plan is shown before they are queued. */
export function NewCrawlPage() {
  const state = useData<CrawlKindData[]>('/api/crawls/kinds', false);
  return (
    <PageFrame title="New crawl">
      {FACTS.isWritable ? (
        <Loaded state={state} failure="The kinds of crawls could not be read.">
          {(kinds) => <Form kinds={kinds} />}
        </Loaded>
      ) : (
        <EmptyState title="This dashboard only reads" action={<StoreCommand command="work --dashboard" />}>
          Crawls are queued in the dashboard of a worker, with its token.
        </EmptyState>
      )}
    </PageFrame>
  );
}

function Form({ kinds }: { readonly kinds: readonly CrawlKindData[] }) {
  const [kind, setKind] = useState(kinds[0]!.name);
  const [plan, setPlan] = useState<{ readonly plan: NewCrawlPlan; readonly request: object }>();
  const [problem, setProblem] = useState('');
  const chosen = kinds.find(({ name }) => name === kind)!;

  async function showPlan(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const values = new FormData(event.target as HTMLFormElement);
    const read = (name: string): string | undefined => (values.get(name) as string | null)?.trim() || undefined;
    const maxPages = read('pages');
    const request = {
      kind,
      priority: read('priority'),
      since: read('since'),
      maxPages: maxPages === undefined ? undefined : Number(maxPages),
      targets: (read('targets') ?? '').split('\n').filter((line) => line.trim() !== ''),
    };
    setProblem('');
    try {
      setPlan({ plan: await sendAction<NewCrawlPlan>('crawls/plan', request), request });
    } catch (error) {
      setProblem(describeFailure(error));
    }
  }

  return (
    <form class="panel form" onSubmit={(event) => void showPlan(event)}>
      <label>
        Kind
        <select name="kind" value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value)}>
          {kinds.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <span class="muted">{chosen.summary}</span>
      </label>
      <label>
        Targets, one to a line
        <textarea name="targets" rows={5} required spellcheck={false} />
      </label>
      {chosen.hasPageLimit && (
        <label>
          Page limit
          <input name="pages" type="number" min={1} placeholder="none" />
        </label>
      )}
      {chosen.hasStart && (
        <label>
          First day (UTC)
          <input name="since" type="date" />
        </label>
      )}
      <label>
        Priority
        <select name="priority">
          <option value="interactive">Interactive</option>
          <option value="scheduled">Scheduled</option>
          <option value="backfill">Backfill</option>
        </select>
      </label>
      <p class="muted">
        For a panel, a file or a query as targets, and for crawls of the accounts that are found:{' '}
        <StoreCommand command={`enqueue ${kind} --help`} />
      </p>
      <p role="alert" class="dialog-problem">
        {problem}
      </p>
      <button class="button">Show the plan</button>
      {plan && (
        <ConfirmDialog
          title={`Plan: ${pluralize(plan.plan.crawls, 'crawl')}`}
          action={`Queue ${pluralize(plan.plan.crawls, 'crawl')}`}
          run={() => createCrawls('crawls/create', { ...plan.request, expected: plan.plan.crawls })}
          onClose={() => setPlan(undefined)}
        >
          <p>Planned: {describeRequests(plan.plan)}.</p>
          {plan.plan.skipped.length > 0 && (
            <>
              <p>Left out:</p>
              <ul>
                {plan.plan.skipped.map((fault) => (
                  <li key={fault}>
                    <bdi>{fault}</bdi>
                  </li>
                ))}
              </ul>
            </>
          )}
        </ConfirmDialog>
      )}
    </form>
  );
}
