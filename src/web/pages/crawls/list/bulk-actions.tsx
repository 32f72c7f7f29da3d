import { useRef, useState } from 'preact/hooks';
import { formatCount, pluralize } from '../../../../text.ts';
import { FACTS } from '../../../app/facts.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { sendAction } from '../../../live/send-action.ts';
import { readListQuery } from './crawl-address.ts';
import type { CrawlList } from './crawl-list-data.ts';

interface BulkAction {
  readonly path: string;
  readonly title: string;
  readonly query: string;
  readonly expected: number;
  readonly explanation: string;
  readonly describe: (result: Readonly<Record<string, number>>) => string;
}

/** Changes of all crawls that match. The server checks that they are still as many as the button says. */
export function BulkActions({ list, isFiltered }: { readonly list: CrawlList; readonly isFiltered: boolean }) {
  const [action, setAction] = useState<BulkAction>();
  const [outcome, setOutcome] = useState('');
  const outcomeText = useRef<HTMLSpanElement>(null);
  const data = list.latest.value;
  if (!data || !FACTS.isWritable) return null;
  const query = readListQuery();
  const nameScope = (n: number, what: string): string =>
    isFiltered ? `${formatCount(n)} matching ${n === 1 ? 'crawl' : 'crawls'}` : `all ${pluralize(n, `${what} crawl`)}`;
  const actions: BulkAction[] = [
    {
      path: 'crawls/cancel',
      query,
      expected: data.unfinished,
      title: `Cancel ${nameScope(data.unfinished, 'unfinished')}`,
      explanation: 'Their unfinished child crawls are cancelled, too. Stored rows are kept, and crawls can be resumed.',
      describe: ({ cancelled = 0 }) => `${pluralize(cancelled, 'crawl')} cancelled.`,
    },
    {
      path: 'crawls/resume',
      query,
      expected: data.resumable,
      title: `Resume ${nameScope(data.resumable, 'stopped')}`,
      explanation: 'They are queued again, and continue after their last page. Each page costs a request.',
      describe: ({ resumed = 0 }) => `${pluralize(resumed, 'crawl')} queued.`,
    },
  ];
  return (
    <>
      {actions
        .filter(({ expected }) => expected > 0)
        .map((one) => (
          <button key={one.path} class="button" onClick={() => setAction(one)}>
            {one.title}
          </button>
        ))}
      {action && (
        <ConfirmDialog
          title={`${action.title}?`}
          action={action.title}
          run={async () => {
            const { path, expected } = action;
            setOutcome(action.describe(await sendAction(path, { query: action.query, expected })));
            await list.restart(action.query);
          }}
          outcome={outcomeText}
          onClose={() => setAction(undefined)}
        >
          <p>{action.explanation}</p>
        </ConfirmDialog>
      )}
      <span ref={outcomeText} role="status" class="outcome" tabIndex={-1}>
        {outcome}
      </span>
    </>
  );
}
