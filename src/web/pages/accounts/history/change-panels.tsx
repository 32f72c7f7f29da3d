import type { AccountHistoryData, ProfileChange } from '../../../../dashboard/api/account-history.ts';
import { capitalise } from '../../../../text.ts';
import { Panel } from '../../../components/panel.tsx';
import { MissingParts } from './missing-parts.tsx';

const FIELDS: Readonly<Record<string, string>> = { screen_name: 'Handle', description: 'Biography', url: 'Address' };

/** Renames and other changes of the profile, without its counts. */
export const ProfilePanel = ({ profile: { changes, missing } }: Pick<AccountHistoryData, 'profile'>) => (
  <Panel id="profile-changes" title="Profile and handle" note="changes, the latest noticed first">
    {changes.length > 0 && (
      <ul class="changes">
        {changes.map((change) => (
          <li key={`${change.field} ${change.noticedAt}`}>
            <strong>{FIELDS[change.field] ?? capitalise(change.field.replaceAll('_', ' '))}</strong>
            <BeforeAndAfter {...change} />
          </li>
        ))}
      </ul>
    )}
    {changes.length === 0 && missing.length === 0 && <p>No change was noticed.</p>}
    <MissingParts missing={missing} />
  </Panel>
);

/** Edited tweets. */
export const EditsPanel = ({ edits: { changes, missing } }: Pick<AccountHistoryData, 'edits'>) => (
  <Panel id="edits" title="Edited tweets" note="the latest noticed first">
    {changes.length > 0 && (
      <ul class="changes">
        {changes.map((change) => (
          <li key={`${change.restId} ${change.noticedAt}`}>
            <strong>{change.restId}</strong>
            <BeforeAndAfter {...change} />
          </li>
        ))}
      </ul>
    )}
    {changes.length === 0 && missing.length === 0 && <p>No edit was noticed.</p>}
    <MissingParts missing={missing} />
  </Panel>
);

const BeforeAndAfter = ({ before, after, lastSeenAt, noticedAt }: Omit<ProfileChange, 'field'>) => (
  <>
    <span class="muted"> {describeTime(lastSeenAt.slice(0, 10), noticedAt.slice(0, 10))}</span>
    <p>
      <span class="visually-hidden">Before: </span>
      <del>{before === null || before === '' ? 'empty' : <bdi>{before}</bdi>}</del>
    </p>
    <p>
      <span class="visually-hidden">After: </span>
      <ins>{after === null || after === '' ? 'empty' : <bdi>{after}</bdi>}</ins>
    </p>
  </>
);

/** A change has a period: nobody saw when it was made. */
const describeTime = (from: string, to: string): string => (from === to ? `on ${to}` : `between ${from} and ${to}`);
