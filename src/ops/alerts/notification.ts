import { toIso } from '../../base/units.ts';
import type { StoredAlert } from '../../store/schema/commit-messages.ts';

/** The facts of an alert. They contain no names of accounts, no addresses and no keys. */
export interface AlertDetails {
  /** One line for people. */
  readonly message: string;
  readonly job?: string;
  /** The number of consecutive failed or empty runs. */
  readonly runs?: number;
  /** Why the newest failed run failed. */
  readonly reason?: string;
}

/** The JSON document that is sent to a webhook. */
export interface Notification extends AlertDetails {
  /** Identifies the change, since a notification may arrive twice. */
  readonly id: string;
  readonly alert: StoredAlert['alert'];
  readonly state: 'firing' | 'resolved';
  /** When trawl detected the change, ISO 8601, UTC. */
  readonly at: string;
}

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
