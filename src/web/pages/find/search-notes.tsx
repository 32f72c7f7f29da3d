import type { FindNote } from '../../../dashboard/api/find.ts';
import { toSentence } from '../../../text.ts';
import { hrefOf, MAX_LIMIT, readFindAddress } from './find-address.ts';

/** The size and the limits of an answer, and what it lacks, each with what helps. */
export const SearchNotes = ({ notes }: { readonly notes: readonly FindNote[] }) =>
  notes.length === 0 ? null : (
    <ul class="search-notes" aria-label="About these results">
      {notes.map((note) => (
        <li key={note.text}>
          <bdi>{toSentence(note.text)}</bdi> <Remedy note={note} />
        </li>
      ))}
    </ul>
  );

function Remedy({ note: { option, command } }: { readonly note: FindNote }) {
  const { limit, isForAccounts } = readFindAddress();
  if (command)
    return (
      <span>
        <code>{command.line}</code> {command.result}
      </span>
    );
  if (option === 'includeDeleted')
    return (
      <a href={hrefOf({ includeDeleted: true })}>{isForAccounts ? 'Include unavailable accounts' : 'Include them'}</a>
    );
  if (option === 'limit' && limit < MAX_LIMIT) {
    const next = Math.min(2 * limit, MAX_LIMIT);
    return <a href={hrefOf({ limit: next })}>Show {next}</a>;
  }
  return null;
}
