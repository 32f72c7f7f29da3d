import { useState } from 'preact/hooks';
import { capitalise, pluralize } from '#base/text.ts';
import type { CrawlKindData, NewCrawlPlan } from '#dashboard/server/api/new-crawl.ts';
import { FACTS } from '#dashboard/web/app/facts.ts';
import { ConfirmDialog } from '#dashboard/web/components/action-buttons.tsx';
import { EmptyState } from '#dashboard/web/components/empty-state.tsx';
import { type FormField, Form, type FormValues } from '#dashboard/web/components/form.tsx';
import { DataPage } from '#dashboard/web/components/loaded.tsx';
import { StoreCommand } from '#dashboard/web/components/store-command.tsx';
import { describeRequests } from '#dashboard/web/format-numbers.ts';
import { createCrawls, sendAction } from '#dashboard/web/live/send-action.ts';

/** The form of new crawls. Their plan is shown before they are queued. */
export const NewCrawlPage = () => (
  <DataPage<CrawlKindData[]>
    path="/api/crawls/kinds"
    isLive={false}
    failure="The kinds of crawls could not be read."
    title={() => 'New crawl'}
  >
    {(kinds) =>
      FACTS.isWritable ? (
        <NewCrawl kinds={kinds} />
      ) : (
        <EmptyState title="This dashboard only reads" command="work --dashboard">
          Crawls are queued in the dashboard of a worker, with its token.
        </EmptyState>
      )
    }
  </DataPage>
);

const PRIORITIES = { interactive: 'Interactive', scheduled: 'Scheduled', backfill: 'Backfill' };
const PAGE_LIMIT = { name: 'pages', label: 'Page limit', value: '', type: 'integer', placeholder: 'none' } as const;
const START = { name: 'since', label: 'First day (UTC)', value: '', type: 'date' } as const;

const listFields = (
  kinds: readonly CrawlKindData[],
  kind: CrawlKindData,
  onKind: (kind: CrawlKindData) => void,
): FormField[] => [
  {
    name: 'kind',
    label: 'Kind',
    value: kind.name,
    choices: Object.fromEntries(kinds.map(({ name }) => [name, capitalise(name)])),
    onChoose: (chosen) => onKind(kinds.find(({ name }) => name === chosen)!),
    hint: capitalise(kind.summary),
  },
  { name: 'priority', label: 'Priority', value: 'interactive', choices: PRIORITIES },
  ...(kind.hasPageLimit ? [PAGE_LIMIT] : []),
  ...(kind.hasStart ? [START] : []),
  {
    name: 'targets',
    label: 'Targets, one to a line',
    value: '',
    type: 'lines',
    isRequired: true,
    hint: (
      <>
        For a panel, a file or a query as targets, and for crawls of the accounts that are found:{' '}
        <StoreCommand command={`enqueue ${kind.name} --help`} />
      </>
    ),
  },
];

function NewCrawl({ kinds }: { readonly kinds: readonly CrawlKindData[] }) {
  const [kind, setKind] = useState(kinds[0]!);
  const [planned, setPlanned] = useState<NewCrawlPlan & { readonly request: object }>();

  async function showPlan({ priority, pages, since, targets }: FormValues): Promise<void> {
    const request = {
      kind: kind.name,
      priority,
      since: since || undefined,
      maxPages: pages ? Number(pages) : undefined,
      targets: targets!.split('\n').filter((line) => line.trim() !== ''),
    };
    setPlanned({ ...(await sendAction<NewCrawlPlan>('crawls/plan', request)), request });
  }

  return (
    <>
      <Form fields={listFields(kinds, kind, setKind)} action="Show the plan" onSubmit={showPlan} />
      {planned && (
        <ConfirmDialog
          title={`Plan: ${pluralize(planned.crawls, 'crawl')}`}
          action={`Queue ${pluralize(planned.crawls, 'crawl')}`}
          run={() => createCrawls('crawls/create', { ...planned.request, expected: planned.crawls })}
          onClose={() => setPlanned(undefined)}
        >
          <p>Planned: {describeRequests(planned)}.</p>
          {planned.skipped.length > 0 && (
            <>
              <p>Left out:</p>
              <ul>
                {planned.skipped.map((fault) => (
                  <li key={fault}>
                    <bdi>{fault}</bdi>
                  </li>
                ))}
              </ul>
            </>
          )}
        </ConfirmDialog>
      )}
    </>
  );
}
