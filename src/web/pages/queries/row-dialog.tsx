import { useEffect, useRef } from 'preact/hooks';
import { toPrintable } from '../../../text.ts';
import type { ResultRow } from './sort-rows.ts';

/** All values of a row in full. The browser returns the focus to the row. */
export function RowDialog(props: { readonly number: number; readonly row: ResultRow; readonly onClose: () => void }) {
  const { number, row, onClose } = props;
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current?.showModal(), []);
  return (
    <dialog ref={element} class="row-dialog" aria-labelledby="row-title" onClose={onClose}>
      <h2 id="row-title">Row {number}</h2>
      <dl>
        {Object.entries(row).map(([name, value]) => (
          <div key={name}>
            <dt>
              <bdi>{toPrintable(name)}</bdi>
            </dt>
            <dd dir="auto">{value === null ? <span class="muted">no value</span> : toPrintableLines(String(value))}</dd>
          </div>
        ))}
      </dl>
      <div class="dialog-buttons">
        <button type="button" class="button" onClick={() => element.current?.close()}>
          Close
        </button>
      </div>
    </dialog>
  );
}

const toPrintableLines = (text: string): string =>
  text
    .split(/\r\n|\n/)
    .map(toPrintable)
    .join('\n');
