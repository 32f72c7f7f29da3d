import type { ComponentChildren, RefObject } from 'preact';
import { readParameter } from './list-address.ts';
import type { SteadyList } from './use-steady-list.ts';

/** A part of a list with links to others, and a button that shows a list that has changed. */
export const ListPanel = (props: {
  readonly panel: RefObject<HTMLElement | null>;
  /** What is listed: `crawls`. */
  readonly items: string;
  readonly path: string;
  readonly query: string;
  readonly list: SteadyList<{ readonly next: string | null }>;
  readonly children: ComponentChildren;
}) => {
  const { items, path, query, list } = props;
  const next = list.shown?.next ?? null;
  return (
    <>
      <section
        ref={props.panel}
        tabIndex={-1}
        class={`panel ${list.isBusy ? 'busy' : ''}`}
        aria-label={`List of ${items}`}
        aria-busy={list.isBusy}
      >
        <div class="list-news" role="status">
          {list.hasMoved && (
            <button class="button" onClick={list.showMoved}>
              The list has changed: show it
            </button>
          )}
        </div>
        {props.children}
      </section>
      <nav class="row" aria-label="Parts of the list" onClick={list.focusNext}>
        {readParameter('after') !== '' && <a href={hrefOf(path, query, '')}>First {items}</a>}
        {next !== null && <a href={hrefOf(path, query, next)}>Next {items}</a>}
      </nav>
    </>
  );
};

/** The address of another part of a list. */
function hrefOf(path: string, query: string, after: string): string {
  const parameters = new URLSearchParams(query);
  parameters.delete('after');
  if (after !== '') parameters.set('after', after);
  return `${path}?${parameters}`;
}
