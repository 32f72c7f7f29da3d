import type { ComponentChildren, RefObject } from 'preact';
import { useRef, useState, useLayoutEffect } from 'preact/hooks';
import { FACTS } from '#dashboard/web/app/facts.ts';
import { useAttempt } from '#dashboard/web/live/use-attempt.ts';

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

/**
 * Asks before a change. The browser keeps the focus inside, and returns it to the button that opened the dialog; Escape closes
 * it. A failed change is told in the dialog.
 */
export function ConfirmDialog(props: {
  readonly title: string;
  readonly children: ComponentChildren;
  /** What the button does: `Cancel 41 crawls`. */
  readonly action: string;
  readonly run: () => Promise<void>;
  /** Gets the focus after the change, which may remove the button that opened the dialog. */
  readonly outcome?: RefObject<HTMLElement | null>;
  readonly onClose: () => void;
}) {
  const { title, children, action, run, outcome, onClose } = props;
  const element = useRef<HTMLDialogElement>(null);
  const { isBusy, problem, attempt } = useAttempt();
  // Before the next event: a key that is pressed right after the one that opened it belongs to the dialog.
  useLayoutEffect(() => element.current?.showModal(), []);

  // Without waiting for the event `close`, which may come after a key that opens the dialog again.
  function close(): void {
    element.current?.close();
    onClose();
  }

  const confirm = (): Promise<void> =>
    attempt(async () => {
      await run();
      close();
      outcome?.current?.focus();
    });

  return (
    <dialog
      ref={element}
      aria-labelledby="confirm-title"
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
    >
      <h2 id="confirm-title">{title}</h2>
      {children}
      <p role="alert" class="bad">
        {problem}
      </p>
      <div class="dialog-buttons">
        <button type="button" class="button" onClick={close}>
          Go back
        </button>
        <button type="button" class="button main" aria-busy={isBusy} onClick={() => void confirm()}>
          {action}
        </button>
      </div>
    </dialog>
  );
}
