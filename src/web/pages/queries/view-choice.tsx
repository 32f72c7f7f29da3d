import { capitalise } from '../../../text.ts';
import { type QueryAddress, showQuery } from './query-address.ts';

/** Chooses between the rows and the chart. */
export const ViewChoice = ({ view }: Pick<QueryAddress, 'view'>) => (
  <div class="choices" role="group" aria-label="View">
    {(['table', 'chart'] as const).map((name) => (
      <button key={name} type="button" aria-pressed={view === name} onClick={() => showQuery({ view: name })}>
        {capitalise(name)}
      </button>
    ))}
  </div>
);
