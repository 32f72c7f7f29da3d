import type { ComponentChildren } from 'preact';

/** A page: its title, facts beside it, links to related pages, and its parts. */
export const PageFrame = (props: {
  readonly class?: string;
  readonly title: ComponentChildren;
  /** Facts without content are left out. */
  readonly facts?: readonly ComponentChildren[] | undefined;
  readonly links?: ComponentChildren;
  readonly children: ComponentChildren;
}) => (
  <div class={`page ${props.class ?? ''}`}>
    <header class="page-header">
      <h1>{props.title}</h1>
      <Facts facts={props.facts ?? []} />
    </header>
    {props.links && (
      <nav class="row" aria-label="Related pages">
        {props.links}
      </nav>
    )}
    {props.children}
  </div>
);

/** Short facts in a row. Screen readers hear another number of results. */
export const Facts = ({ facts }: { readonly facts: readonly ComponentChildren[] }) => (
  <p class="data-age" role="status">
    {facts.map((fact, i) => fact != null && fact !== false && fact !== '' && <span key={i}>{fact}</span>)}
  </p>
);
