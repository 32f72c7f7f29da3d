/** The terms of a search and what they find, as docs/search.md has them. */
const TWEET_TERMS = [
  ['coffee paris', 'tweets with both words; case and accents are ignored'],
  ['"good coffee"', 'these words next to each other, in this order'],
  ['from:nasa', 'by this user: the last holder of the handle'],
  ['@nasa', 'that mention this user'],
  ['#coffee', 'with exactly this hashtag'],
  ['since:2025-01-31', 'of that day and later (UTC)'],
  ['until:2025-02-01', 'before that day (UTC)'],
] as const;

const ACCOUNT_TERMS = [
  ['coffee', 'accounts with this word in the handle, the name or the biography'],
  ['"good coffee"', 'these words next to each other in one of them'],
  ['@nasa', 'whose handle this is, in any case'],
] as const;

export const SearchHelp = ({
  isForAccounts,
  isOpen,
}: {
  readonly isForAccounts: boolean;
  readonly isOpen: boolean;
}) => (
  <details class="search-help" open={isOpen}>
    <summary>What can be searched</summary>
    <dl>
      {(isForAccounts ? ACCOUNT_TERMS : TWEET_TERMS).map(([term, meaning]) => (
        <div key={term}>
          <dt>
            <code>{term}</code>
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
    <p class="muted">All terms have to match. There is no OR and no NOT. What is no operator is searched as text.</p>
  </details>
);
