import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { FACTS } from '../app/facts.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

/** A change that a person makes after a confirmation. */
export interface ConfirmedAction {
  /** What the buttons do: `Cancel 41 crawls`. */
  readonly label: string;
  readonly title: string;
  readonly explanation: ComponentChildren;
  /** Returns what was done, as a sentence; empty if the page changes. */
  readonly run: () => Promise<string>;
}

/** The changes that a page can make, and what the last one did; nothing on a dashboard that only reads. */
export function ActionButtons({ actions }: { readonly actions: readonly ConfirmedAction[] }) {
  const [action, setAction] = useState<ConfirmedAction>();
  const [outcome, setOutcome] = useState('');
  const outcomeText = useRef<HTMLSpanElement>(null);
  if (!FACTS.isWritable) return null;
  return (
    <>
      {actions.map((one) => (
        <button key={one.label} class="button" onClick={() => setAction(one)}>
          {one.label}
        </button>
      ))}
      {action && (
        <ConfirmDialog
          title={action.title}
          action={action.label}
          run={async () => setOutcome(await action.run())}
          outcome={outcomeText}
          onClose={() => setAction(undefined)}
        >
          {action.explanation}
        </ConfirmDialog>
      )}
      <span ref={outcomeText} role="status" class="outcome" tabIndex={-1}>
        {outcome}
      </span>
    </>
  );
}
