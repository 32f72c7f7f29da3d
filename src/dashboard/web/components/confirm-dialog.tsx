import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useAttempt } from '../live/use-attempt.ts';

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
