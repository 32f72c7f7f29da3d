import type { JobCondition } from '#analysis/jobs/job-conditions.ts';
import { toIso } from '#base/units.ts';
import type { StoredAlert } from '#store/schema/job-messages.ts';

/** The facts of an alert, with one line for people. They contain no names of accounts, no addresses and no keys. */
type AlertDetails = Partial<JobCondition['details']> & Pick<JobCondition['details'], 'message'>;

/** The JSON document that is sent to a webhook. */
export type Notification = AlertDetails & {
  /** Identifies the change, since a notification may arrive twice. */
  readonly id: string;
  readonly alert: StoredAlert['alert'];
  readonly state: 'firing' | 'resolved';
  /** When trawl detected the change, ISO 8601, UTC. */
  readonly at: string;
};

export const formatDetails = (details: AlertDetails): string => JSON.stringify(details);

export function createNotification({ alert, subject, isFiring, changedAt, details }: StoredAlert): Notification {
  return {
    id: [alert, subject, changedAt].filter(Boolean).join('-'),
    alert,
    state: isFiring ? 'firing' : 'resolved',
    at: toIso(changedAt),
    ...(JSON.parse(details) as AlertDetails),
  };
}
