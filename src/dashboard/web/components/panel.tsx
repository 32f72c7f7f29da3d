import type { ComponentChildren } from 'preact';

/** A titled part of a page. */
export const Panel = (props: {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  /** Beside the title. */
  readonly note?: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}) => (
  <section class={`panel ${props.class ?? ''}`} aria-labelledby={props.id}>
    <header>
      <h2 id={props.id}>{props.title}</h2>
      {props.note && <div class="note">{props.note}</div>}
    </header>
    {props.children}
  </section>
);
