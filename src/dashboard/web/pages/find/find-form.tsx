import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Choices, Selection } from '../../components/choices.tsx';
import { DEFAULT_LIMIT, type FindAddress, showSearch, SORTS } from './find-address.ts';

const PLACEHOLDERS = {
  tweets: 'coffee paris, "a phrase", from:nasa, @nasa, #tag, since:2025-01-31, until:2025-02-01',
  accounts: 'journalist berlin, "a phrase", @nasa',
} as const;

/** The search, what is searched, and the order. The search is made on Enter; the rest applies at once. */
export function FindForm(props: {
  readonly given: FindAddress;
  readonly isWrong: boolean;
  /** Makes the search of the address again. */
  readonly onRepeat: () => void;
  /** How the search was read. */
  readonly children: ComponentChildren;
}) {
  const { given, isWrong, onRepeat, children } = props;
  const [text, setText] = useState(given.search);
  // Another address, such as that of an earlier page.
  useEffect(() => setText(given.search), [given.search]);

  function search(event: SubmitEvent): void {
    event.preventDefault();
    if (text.trim() === given.search) onRepeat();
    else showSearch({ search: text.trim(), limit: DEFAULT_LIMIT });
  }

  const chosen = given.isForAccounts ? 'accounts' : 'tweets';
  return (
    <form class="panel form" role="search" onSubmit={search}>
      <div class="row">
        <input
          class="wide-input"
          type="search"
          dir="auto"
          aria-label={`Search stored ${chosen}`}
          aria-invalid={isWrong}
          placeholder={PLACEHOLDERS[chosen]}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <button class="button main">Find</button>
      </div>
      {children}
      <div class="row">
        <Choices
          label="What is searched"
          choices={{ tweets: 'Tweets', accounts: 'Accounts' }}
          chosen={chosen}
          onChoose={(name) =>
            showSearch({ search: text.trim(), isForAccounts: name === 'accounts', limit: DEFAULT_LIMIT })
          }
        />
        <Selection label="Sort" choices={SORTS[chosen]} chosen={given.sort} onChoose={(sort) => showSearch({ sort })} />
        <label>
          <input
            type="checkbox"
            checked={given.includeDeleted}
            onChange={({ currentTarget }) => showSearch({ includeDeleted: currentTarget.checked })}
          />{' '}
          {given.isForAccounts ? 'Include unavailable accounts' : 'Include deleted tweets'}
        </label>
      </div>
    </form>
  );
}
