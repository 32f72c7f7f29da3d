import type { AccountHistoryData } from '../../../../dashboard/api/account-history.ts';
import { pluralize } from '../../../../text.ts';
import { Panel } from '../../../components/panel.tsx';
import { MissingParts } from './missing-parts.tsx';

/** The tweets with the most likes, as of the date when the service showed each last, with their deletion state. */
export const TopTweetsPanel = ({ top: { tweets, missing } }: Pick<AccountHistoryData, 'top'>) => (
  <Panel id="top-tweets" title="Top posts by likes" note={describeDates(tweets.map(({ asOf }) => asOf.slice(0, 10)))}>
    {tweets.length > 0 && (
      <ol class="top-tweets">
        {tweets.map(({ restId, text, likes, createdAt, asOf, deletionState }) => (
          <li key={restId}>
            <p>
              <bdi>{text}</bdi>
            </p>
            <p class="muted">
              {pluralize(likes, 'like')} as of {asOf.slice(0, 10)}, written{' '}
              {createdAt?.slice(0, 10) ?? 'at an unknown time'}, id {restId}
              {deletionState !== null && <strong>{DELETIONS[deletionState] ?? deletionState}</strong>}
            </p>
          </li>
        ))}
      </ol>
    )}
    {tweets.length === 0 && missing.length === 0 && <p>No stored post has a known number of likes.</p>}
    <MissingParts missing={missing} />
  </Panel>
);

const DELETIONS: Readonly<Record<string, string>> = {
  deleted: 'Deleted',
  suspected: 'May be deleted: missing from the list',
};

function describeDates(days: readonly string[]): string {
  const [first, last] = [days.toSorted()[0], days.toSorted().at(-1)];
  if (first === undefined) return '';
  return first === last ? `as of ${first}` : `as of ${first} to ${last}`;
}
