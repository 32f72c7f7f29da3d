import { choosePeriod } from '../../../analysis/history/choose-period.ts';
import { describeLostFollowers } from '../../../analysis/history/describe-lost-followers.ts';
import { readObservedTimes } from '../../../analysis/history/observed-times.ts';
import { selectAccountCrawls } from '../../../analysis/history/select-account-crawls.ts';
import { readCatalogue } from '../../../queries/catalogue.ts';
import { describeMissingData } from '../../../queries/missing-data.ts';
import { runSavedQuery } from '../../../queries/run-query.ts';
import { toSentence } from '../../../text.ts';
import type { AccountHistoryData, FollowerChange, FollowerCounts, HistoryPart } from '../../api/account-history.ts';
import { formatStoreCommand } from '../../reader/format-store-command.ts';
import type { ReadContext, ReadRequest } from '../../reader/read.ts';
import { toShortLine } from '../../reader/short-line.ts';
import { findRestId, readAccountLine } from './account-lines.ts';

/** The numbers of tweets and of changes that are listed. */
const TOP_TWEETS = 10;
const LISTED_CHANGES = 20;
/** The fewest posts whose hours are shown: fewer are mostly chance. */
const LEAST_POSTS = 200;

/** The result of a saved query: its rows by column. */
interface Answer extends HistoryPart {
  readonly rows: readonly Readonly<Record<string, string | number | null>>[];
}

/** Reads how an account changed, by the saved queries; undefined if the store does not have it. */
export function readAccountHistory(
  { db, now, settings }: ReadContext,
  { parameters }: ReadRequest,
): AccountHistoryData | undefined {
  const restId = findRestId(db, parameters['account'] ?? '');
  const line = restId === undefined ? undefined : readAccountLine(db, restId);
  if (restId === undefined || !line) return undefined;
  const catalogue = readCatalogue();
  const run = (name: string, values: Readonly<Record<string, string | number>> = {}): Answer => {
    const result = runSavedQuery(db, catalogue.read(name), { account: `id:${restId}`, ...values }, now);
    return {
      rows: result.rows.map((row) => Object.fromEntries(result.columns.map((column, i) => [column, toCell(row[i])]))),
      missing: result.missing.map((missing) => ({
        text: `${toSentence(toShortLine(describeMissingData(missing)))}.`,
        command: missing.command === undefined ? null : formatStoreCommand(settings, toShortLine(missing.command)),
      })),
    };
  };
  const crawls = selectAccountCrawls({ restId, screenName: line.handle });
  const { firstAt, lastAt, days } = readObservedTimes(db, restId, crawls);
  const period = choosePeriod(Date.parse(lastAt) - Date.parse(firstAt), days);
  const changed = run('followers-gained-and-lost', { period });
  const profile = run('profile-changes', { limit: LISTED_CHANGES });
  const edits = run('edited-tweets', { limit: LISTED_CHANGES });
  const top = run('top-tweets', { limit: TOP_TWEETS });
  return {
    followers: { period, ...countFollowers(run('followers-over-time', { period })) },
    followerChanges: {
      period,
      missing: changed.missing,
      counts: pairChanges(changed.rows),
      causes: describeLostFollowers(db, restId) ?? null,
    },
    profile: {
      missing: profile.missing,
      changes: profile.rows.map(({ field, ...row }) => ({ field: String(field), ...toChange(row) })),
    },
    edits: {
      missing: edits.missing,
      changes: edits.rows.map(({ rest_id: id, before, after, ...row }) => ({
        restId: String(id),
        ...toChange({ ...row, old_value: before!, new_value: after! }),
      })),
    },
    activity: countHours(run('activity-by-hour')),
    top: {
      missing: top.missing,
      tweets: top.rows.map((row) => ({
        restId: String(row['rest_id']),
        text: toShortLine(String(row['text'] ?? '')),
        createdAt: toText(row['created_at']),
        likes: Number(row['likes']),
        asOf: String(row['as_of']),
        deletionState: toText(row['deletion_state']),
      })),
    },
  };
}

const toCell = (value: string | number | Buffer | null | undefined): string | number | null =>
  Buffer.isBuffer(value) ? value.toString('hex') : (value ?? null);

const toText = (value: string | number | null | undefined): string | null => (value == null ? null : String(value));

function countFollowers({ rows, missing }: Answer): Pick<FollowerCounts, 'counts' | 'change' | 'missing'> {
  const counts = rows.map((row) => ({
    start: String(row['period_start']),
    followers: row['followers'] as number | null,
    change: row['change'] as number | null,
    asOf: toText(row['as_of']),
  }));
  const known = counts.filter(({ followers }) => followers !== null);
  const [first, last] = [known[0], known.at(-1)];
  const change =
    first && last && first !== last
      ? { value: last.followers! - first.followers!, from: first.asOf!, to: last.asOf! }
      : null;
  return { counts, change, missing };
}

/** The query has a row for what was gained in a period, and one for what was lost, as a negative number. */
function pairChanges(rows: Answer['rows']): FollowerChange[] {
  const gained = rows.filter(({ change }) => change === 'gained');
  const lost = new Map(
    rows.flatMap((row) => (row['change'] === 'lost' ? [[row['period_start'], row['accounts']]] : [])),
  );
  return gained.map(({ period_start: start, accounts, is_partial: isPartial }) => {
    const left = lost.get(start!);
    return {
      start: String(start),
      gained: accounts as number | null,
      isPartial: isPartial === 1,
      lost: left == null ? null : Math.abs(Number(left)),
    };
  });
}

const toChange = (row: Answer['rows'][number]) => ({
  before: shorten(row['old_value']),
  after: shorten(row['new_value']),
  lastSeenAt: String(row['last_seen_at']),
  noticedAt: String(row['changed_at']),
});

const shorten = (value: string | number | null | undefined): string | null =>
  value == null ? null : toShortLine(String(value));

function countHours({ rows, missing }: Answer): AccountHistoryData['activity'] {
  const hours = rows.map(({ tweets }) => tweets as number | null);
  const posts = hours.reduce<number>((sum, n) => sum + (n ?? 0), 0);
  return { posts, least: LEAST_POSTS, hours: posts < LEAST_POSTS ? [] : hours, missing };
}
