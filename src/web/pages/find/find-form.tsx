import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { AnswerProblem } from '../../live/request-json.ts';
import { DEFAULT_LIMIT, type FindAddress, showSearch, SORTS } from './find-address.ts';
import { SearchHelp } from './search-help.tsx';

/** The search, what is searched, and the order. The search is made on Enter; the rest applies at once. */
export function FindForm(props: {
  readonly given: FindAddress;
  readonly problem: AnswerProblem | undefined;
  /** Makes the search of the address again. */
  readonly onRepeat: () => void;
  /** How the search was read. */
  readonly children: ComponentChildren;
}) {
  const { given, problem, onRepeat, children } = props;
  const [text, setText] = useState(given.search);
  const input = useRef<HTMLInputElement>(null);
  // Another address, such as that of an earlier page.
  useEffect(() => setText(given.search), [given.search]);
  useEffect(() => {
    if (given.search === '') input.current?.focus({ preventScroll: true });
  }, []);

  function search(event: SubmitEvent): void {
    event.preventDefault();
    if (text.trim() === given.search) onRepeat();
    else showSearch({ search: text.trim(), limit: DEFAULT_LIMIT });
  }

  const chosen = given.isForAccounts ? 'accounts' : 'tweets';
  return (
    <form class="panel find-form" role="search" onSubmit={search}>
      <div class="find-line">
        <input
          ref={input}
          type="search"
          dir="auto"
          aria-label={`Search stored ${chosen}`}
          aria-invalid={problem !== undefined}
          placeholder={given.isForAccounts ? 'journalist berlin, @nasa' : 'coffee paris, "a phrase", from:nasa, #tag'}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <button class="button main">Find</button>
      </div>
      {children}
      <div class="find-options">
        <div class="choices" role="group" aria-label="What is searched">
          {(['tweets', 'accounts'] as const).map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === chosen}
              onClick={() =>
                showSearch({ search: text.trim(), isForAccounts: name === 'accounts', limit: DEFAULT_LIMIT })
              }
            >
              {name === 'tweets' ? 'Tweets' : 'Accounts'}
            </button>
          ))}
        </div>
        <label class="find-option">
          Sort
          <select value={given.sort} onChange={({ currentTarget }) => showSearch({ sort: currentTarget.value })}>
            {Object.entries(SORTS[chosen]).map(([name, title]) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <label class="find-option">
          <input
            type="checkbox"
            checked={given.includeDeleted}
            onChange={({ currentTarget }) => showSearch({ includeDeleted: currentTarget.checked })}
          />
          {given.isForAccounts ? 'Include unavailable accounts' : 'Include deleted tweets'}
        </label>
      </div>
      <SearchHelp isForAccounts={given.isForAccounts} isOpen={given.search === ''} />
    </form>
  );
}
