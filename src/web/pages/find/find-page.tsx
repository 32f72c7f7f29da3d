import type { FindData, FindNote } from '../../../dashboard/api/find.ts';
import { toSentence } from '../../../text.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ProblemBanner } from '../../components/problem-banner.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { useAnswer } from '../../live/use-answer.ts';
import { formatAddress, readFindAddress } from './find-address.ts';
import { FindForm } from './find-form.tsx';
import { FoundAccounts } from './found-accounts.tsx';
import { FoundTweets } from './found-tweets.tsx';
import { SearchNotes } from './search-notes.tsx';
import { SearchTerms } from './search-terms.tsx';
import './find.css';

/** Searches the stored tweets or accounts. The address has the search; a search is made once, and does not change by itself. */
export function FindPage() {
  const given = readFindAddress();
  const path = given.search === '' ? undefined : `/api/find${formatAddress(given)}`;
  const { data, problem, busySince, repeat } = useAnswer<FindData>(path);
  const isBusy = busySince !== undefined;
  return (
    <div class="page find-page">
      <header class="page-header">
        <h1>Find</h1>
        <p class="data-age" role="status">
          {isBusy ? (
            <span>Searching…</span>
          ) : (
            data && (
              <>
                <span>{hasResults(data) ? toSentence(data.notes[0]?.text ?? '') : 'No results'}</span>
                <span>
                  Searched <TimeAgo at={data.at} />
                </span>
              </>
            )
          )}
        </p>
      </header>
      <FindForm key={String(given.isForAccounts)} given={given} problem={problem} onRepeat={repeat}>
        {data && problem === undefined && <SearchTerms terms={data.terms} isForAccounts={given.isForAccounts} />}
      </FindForm>
      {problem && <ProblemBanner title="This was not searched." problem={problem} />}
      {data ? <Answer data={data} isBusy={isBusy} /> : path === undefined && <Introduction />}
    </div>
  );
}

const hasResults = ({ tweets, accounts }: FindData): boolean => tweets.length + accounts.length > 0;

function Answer({ data, isBusy }: { readonly data: FindData; readonly isBusy: boolean }) {
  const { tweets, accounts, notes, command } = data;
  // What is shown elsewhere: the size of the answer, or the reason why there is none.
  const reason = hasResults(data) ? undefined : (notes.find((note) => note.command !== null) ?? notes[0]);
  const others = notes.filter((note, i) => note !== reason && (i > 0 || note.option !== null || reason !== undefined));
  return (
    <div class={`find-answer ${isBusy ? 'busy' : ''}`} aria-busy={isBusy}>
      <SearchNotes notes={others} />
      <section class="panel" aria-label="Results">
        {tweets.length > 0 && <FoundTweets tweets={tweets} />}
        {accounts.length > 0 && <FoundAccounts accounts={accounts} />}
        {reason && <NoResults note={reason} />}
      </section>
      <p class="more">
        The same in a terminal: <code>{command}</code>. With <code class="nowrap">-o found.csv</code>, it writes all
        results to a file.
      </p>
    </div>
  );
}

/** Data that was not collected and data that does not match are two things. */
const NoResults = ({ note: { text, command } }: { readonly note: FindNote }) => (
  <EmptyState
    title={command ? 'Not collected' : 'No results'}
    action={
      command && (
        <>
          <code>{command.line}</code> {command.result}
        </>
      )
    }
  >
    <bdi>{toSentence(text)}</bdi>.
  </EmptyState>
);

const Introduction = () => (
  <section class="panel" aria-label="Results">
    <EmptyState title="Search what was collected">
      All words have to match, in any script. Nothing is fetched: the database has only what was crawled.
    </EmptyState>
  </section>
);
