import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { toSentence } from '#base/text.ts';
import { FACTS } from '#dashboard/web/app/facts.ts';
import type { AnswerProblem } from '#dashboard/web/live/request-json.ts';

/** A page: its title, facts beside it, links to related pages, and its parts. The window has the title of the page. */
export function PageFrame(props: {
  readonly title: ComponentChildren;
  /** Facts without content are left out. */
  readonly facts?: readonly ComponentChildren[] | undefined;
  readonly links?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    document.title = [heading.current!.textContent, FACTS.store, 'trawl'].filter((part) => part !== '').join(' · ');
  });
  return (
    <div class="page">
      <header class="page-header">
        <h1 ref={heading}>{props.title}</h1>
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
}

/** Short facts in a row. Screen readers hear another number of results. */
export const Facts = ({ facts }: { readonly facts: readonly ComponentChildren[] }) => (
  <p class="data-age" role="status">
    {facts.map((fact, i) => fact != null && fact !== false && fact !== '' && <span key={i}>{fact}</span>)}
  </p>
);

/** Says why something was not done, and what to do. */
export const ProblemBanner = ({ title, problem }: { readonly title: string; readonly problem: AnswerProblem }) => (
  <div class="banner error" role="alert">
    <strong>{title}</strong> <bdi>{toSentence(problem.message)}.</bdi>
    {problem.hint !== undefined && (
      <>
        {'\n'}
        <bdi>{problem.hint}</bdi>
      </>
    )}
  </div>
);
