import { useRef, useState } from 'preact/hooks';
import type { CrawlData } from '../../../dashboard/api/crawl.ts';
import { pluralize } from '../../../text.ts';
import { FACTS } from '../../app/facts.ts';
import { navigate } from '../../app/router.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { sendAction } from '../../live/send-action.ts';

const PATHS = { cancel: 'crawls/cancel', resume: 'crawls/resume', repeat: 'crawls/repeat' } as const;

/** What can be done with a crawl: cancel, resume or retry it, or crawl the same again. */
export function CrawlActions({ data: { line, actions } }: { readonly data: CrawlData }) {
  const [action, setAction] = useState<CrawlData['actions'][number]>();
  const [outcome, setOutcome] = useState('');
  const outcomeText = useRef<HTMLSpanElement>(null);
  if (!FACTS.isWritable) return null;
  const run = async ({ name }: CrawlData['actions'][number]): Promise<void> => {
    const result = await sendAction<{ cancelled?: number; resumed?: number; opened?: number[]; refused?: string[] }>(
      PATHS[name],
      { ids: [line.id] },
    );
    const { cancelled, resumed, opened, refused = [] } = result;
    if (refused.length > 0 && resumed === 0) throw new Error(`It cannot be resumed: ${refused.join(', ')}`);
    if (cancelled !== undefined) setOutcome(`${pluralize(cancelled, 'crawl')} cancelled.`);
    if (resumed !== undefined) setOutcome(`${pluralize(resumed, 'crawl')} queued.`);
    if (opened?.[0] !== undefined && opened[0] !== line.id) navigate(`/crawls/${opened[0]}`);
  };
  return (
    <div class="crawl-actions">
      {actions.map((one) => (
        <button key={one.name} class="button" onClick={() => setAction(one)}>
          {one.label}
        </button>
      ))}
      {action && (
        <ConfirmDialog
          title={`${action.label}: ${line.kind} #${line.id}?`}
          action={action.label}
          run={() => run(action)}
          outcome={outcomeText}
          onClose={() => setAction(undefined)}
        >
          <p>
            <bdi>{line.target}</bdi>
          </p>
          <p>{action.explanation}</p>
        </ConfirmDialog>
      )}
      <span ref={outcomeText} role="status" class="outcome" tabIndex={-1}>
        {outcome}
      </span>
    </div>
  );
}
