import type { SearchTermData } from '../../../dashboard/api/find.ts';

interface TermsProps {
  readonly terms: readonly SearchTermData[];
  readonly isForAccounts: boolean;
}

/** How the search was read, term by term, with what is wrong with one of them. */
export const SearchTerms = ({ terms, isForAccounts }: TermsProps) => (
  <ul class="search-terms" aria-label={`The search was read as: ${isForAccounts ? 'accounts' : 'tweets'} with`}>
    {terms.map(({ text, meaning, problem }, i) => (
      <li key={i} class={problem === null ? '' : 'wrong'}>
        <code>
          <bdi>{text}</bdi>
        </code>{' '}
        {problem === null ? (
          <span class="muted">{meaning}</span>
        ) : (
          <span class="term-problem">
            <bdi>{problem.startsWith(`${text} `) ? problem.slice(text.length + 1) : problem}</bdi>
          </span>
        )}
      </li>
    ))}
  </ul>
);
