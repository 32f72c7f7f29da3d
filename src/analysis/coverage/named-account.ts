import type { Db } from '../../store/sqlite/database.ts';
import { prepareAccountTargets } from '../account-targets.ts';
import { prepareUnavailableAt } from './unavailable-account.ts';

interface UserRow {
  readonly id: number;
  readonly restId: string;
  readonly screenName: string | null;
  readonly name: string | null;
  readonly createdAt: number | null;
  readonly firstSeenAt: number;
  readonly lastSeenAt: number | null;
}

/** A stored account, and the names by which crawls know it. */
export interface NamedAccount {
  readonly user: UserRow;
  /** The targets of its crawls: its id, its handle and its earlier handles. */
  readonly targets: readonly string[];
  /** When the service answered last that it does not have the account; null if it was seen since, or never missing. */
  readonly unavailableAt: number | null;
}

/** Prepares reading accounts by id; undefined for one that is not stored. */
export function prepareNamedAccount(db: Db): (restId: string) => NamedAccount | undefined {
  const { $client } = db;
  const findUser = $client.prepare<[string], UserRow>(
    `select id, rest_id as restId, screen_name as screenName, name, created_at as createdAt,
       first_seen_at as firstSeenAt, last_seen_at as lastSeenAt
     from users left join _user_last_seen on user_id = id where rest_id = ?`,
  );
  const listTargets = prepareAccountTargets(db);
  const readUnavailableAt = prepareUnavailableAt(db);
  return (restId) => {
    const user = findUser.get(restId);
    if (!user) return undefined;
    const targets = listTargets(restId);
    const answeredAt = readUnavailableAt(restId, targets);
    const isUnavailable = answeredAt !== null && answeredAt > (user.lastSeenAt ?? 0);
    return { user, targets, unavailableAt: isUnavailable ? answeredAt : null };
  };
}
