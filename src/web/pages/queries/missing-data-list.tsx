import type { QueryCheck } from '../../../dashboard/api/queries.ts';
import { capitalise } from '../../../text.ts';

/** What a command does about a state. */
const RESULTS: Readonly<Record<string, string>> = {
  'collected in part': 'collects more',
  'not checked': 'checks them',
};

/** What the store lacks for a query, with what collects it, and what is known of the handles. */
export const MissingDataList = ({ check: { missing, notes } }: { readonly check: QueryCheck }) =>
  missing.length + notes.length === 0 ? null : (
    <ul class="missing-data" aria-label="What the rows lack">
      {missing.map(({ state, text, command }) => (
        <li key={`${state} ${text}`}>
          <strong class={state.replaceAll(' ', '-')}>{capitalise(state)}</strong> <bdi>{text}</bdi>{' '}
          {command !== null && (
            <span>
              <code>{command}</code> {RESULTS[state] ?? 'collects it'}
            </span>
          )}
        </li>
      ))}
      {notes.map((note) => (
        <li key={note}>
          <bdi>{note}</bdi>
        </li>
      ))}
    </ul>
  );
