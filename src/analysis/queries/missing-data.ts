import { isCountedList, readCountPair } from '#analysis/account-counts.ts';
import type { Answer } from '#analysis/answer.ts';
import type { CountPair } from '#analysis/coverage/coverage-model.ts';
import { describeStopReason } from '#analysis/crawls/end-reasons.ts';
import { readEvidenceAge } from '#analysis/recheck/evidence-age.ts';
import { formatCount, pluralize } from '#base/text.ts';
import { formatDay } from '#base/units.ts';
import { type KindName, kindTable } from '#service/kinds/kinds.ts';
import type { Db } from '#store/sqlite/database.ts';
import type { BoundValues, NamedTarget } from './bind-values.ts';
import { hasNotFoundCrawl, prepareListEvidence } from './list-evidence.ts';
import {
  describeItems,
  describeLists,
  ITEMS,
  placeholderOf,
  describePrunedData,
  type NeededItems,
  type QueryNeed,
  type SavedQuery,
} from './saved-query.ts';

/**
 * Data that a query needs and the store lacks:
 *
 * - `not collected`: no crawl has read it
 * - `collected in part`: more can be collected
 * - `not available`: the service does not show it, or no more of it
 * - `pruned`: it was collected, and a part was removed from the store
 * - `not checked`: tweets were not checked for long, so that deletions of them are not known
 *
 * A query without missing data and without rows has no results.
 */
export interface MissingData extends Answer<
  'not collected' | 'collected in part' | 'not available' | 'pruned' | 'not checked'
> {
  /** Why, or how much of it there is, in words; empty if that is not known. */
  readonly detail: string;
}

/** What is known of missing data, with the arguments of `trawl` that collect or check it. A target is quoted for a shell, or a placeholder. */
interface Lack {
  readonly state: MissingData['state'];
  /** What is missing: `the followers of nasa`. */
  readonly label: string;
  readonly detail?: string | undefined;
  /** The items of the list that are stored, and the number that the service reports. */
  readonly counts?: CountPair | undefined;
  readonly command?: string | undefined;
}

/** `not collected: the followers of nasa`, with what is known about it. */
function toMissingData({ state, label, detail, counts, command }: Lack): MissingData {
  const details = [
    ...(counts?.reported == null
      ? []
      : [`${formatCount(counts.stored)} of ${formatCount(counts.reported)} reported items are stored`]),
    ...(detail === undefined ? [] : [detail]),
  ].join('; ');
  return {
    state,
    label,
    detail: details,
    sentence: `${state}: ${label}${details && ` (${details})`}`,
    command: command ?? null,
  };
}

export const isUnchecked = ({ state }: MissingData): boolean => state === 'not checked';

/** Whether crawls would collect some of it: the answer is then incomplete. */
export const isCollectable = ({ state }: MissingData): boolean =>
  state === 'not collected' || state === 'collected in part';

/** Says why a result has no rows. */
export const describeNoRows = (missing: readonly MissingData[]): string =>
  missing.some(isCollectable)
    ? 'no rows: some of the data was not collected'
    : missing.some(isUnchecked)
      ? 'no rows: some of the data was not checked'
      : 'no results: nothing in the collected data matches';

/** The time of a run, milliseconds UTC, and the age from which checks are old: 30 days by default. */
export interface RunTime {
  readonly now: number;
  readonly olderThan?: number | undefined;
}

/** Finds the needs of a query that the store does not meet, and accounts that the service no longer shows. */
export function findMissingData(
  db: Db,
  query: SavedQuery,
  { targets, ...time }: Pick<BoundValues, 'targets'> & RunTime,
): MissingData[] {
  const unavailable = new Map<string, Lack>();
  for (const [name, target] of Object.entries(targets)) {
    const gone = target.type === 'account' ? findUnavailability(db, target) : undefined;
    if (gone) unavailable.set(name, gone);
  }
  const missing = query.needs.flatMap((need): Lack[] => {
    const target = need.of === undefined ? undefined : targets[need.of];
    if (need.items === 'checks') return findOldChecks(db, target, time);
    const lack = need.items === undefined ? findLack(db, need, target) : findLackOfItems(db, need.items, target);
    const detail = describePrunedData(db, need, target?.value);
    const label =
      need.items === undefined
        ? describeLists(need.kinds[0]!, target?.label)
        : describeItems(need.items, target?.label);
    const pruned: Lack[] = detail === undefined ? [] : [{ state: 'pruned', label, detail }];
    if (!lack) return pruned;
    // Nothing can be crawled of an account that the service no longer shows.
    const isGone = need.of !== undefined && unavailable.has(need.of);
    return [isGone ? { ...lack, state: 'not available', command: undefined } : lack, ...pruned];
  });
  return [...unavailable.values(), ...missing].map(toMissingData);
}

function findUnavailability(db: Db, { value, label }: NamedTarget): Lack | undefined {
  if (!hasNotFoundCrawl(db, value)) return undefined;
  const noticedAt = db.$client
    .prepare<[string], string>('select noticed_at from v_unavailable_accounts where rest_id = ?')
    .pluck()
    .get(value);
  if (noticedAt === undefined) return undefined;
  return {
    state: 'not available',
    label,
    detail: `the service answered 404 for it on ${formatDay(noticedAt)}`,
  };
}

function findOldChecks(db: Db, target: NamedTarget | undefined, time: RunTime): Lack[] {
  const accountIds = target && [target.value];
  const { unchecked, sentence, command } = readEvidenceAge(db, { ...time, accountIds });
  if (unchecked === 0) return [];
  return [{ state: 'not checked', label: describeItems('tweets', target?.label), detail: sentence, command: command! }];
}

function findLackOfItems({ $client }: Db, items: NeededItems, target: NamedTarget | undefined): Lack | undefined {
  const { selectAny, selectOf, kind } = ITEMS[items];
  const select = $client.prepare(`select 1 from ${target ? selectOf : selectAny} limit 1`);
  if ((target ? select.get(target.value) : select.get()) !== undefined) return undefined;
  return {
    state: 'not collected',
    label: describeItems(items, target?.label),
    command: kind && formatCrawl(kind, target),
  };
}

const formatCrawl = (kind: KindName, target: NamedTarget | undefined): string =>
  `crawl ${kind} ${target?.crawlTarget ?? placeholderOf(kind)}`;

/** From the least missing data to the most; lists that no crawl completes are last. */
const STATES: readonly MissingData['state'][] = ['collected in part', 'not collected', 'not available'];

/** The least that is missing of lists of which one is enough. */
function findLack(db: Db, need: QueryNeed, target: NamedTarget | undefined): Lack | undefined {
  const found = need.kinds.map((kind) => findLackOfLists(db, need, kind, target));
  const enough = found.filter(({ isEnough }) => isEnough);
  if (enough.length > 0) return enough.some(({ lack }) => !lack) ? undefined : enough[0]!.lack;
  return found
    .flatMap(({ lack }) => lack ?? [])
    .toSorted((a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state))[0];
}

/** What is missing of the lists of a kind, and whether they meet a need all the same. */
interface ListLack {
  readonly isEnough: boolean;
  readonly lack: Lack | undefined;
}

function findLackOfLists(
  db: Db,
  { lists: needed = 1 }: QueryNeed,
  kind: KindName,
  target: NamedTarget | undefined,
): ListLack {
  const label = describeLists(kind, target?.label);
  const command = formatCrawl(kind, target);
  const read = prepareListEvidence(db, kind);
  const toLack = (lack: Lack): ListLack => ({ isEnough: false, lack });
  // Lists that are read in pages are complete by evidence; others are crawled.
  const called = kindTable[kind].shape === 'paged list' ? 'complete lists' : 'crawls';
  if (target === undefined) {
    if (!read.isAnyCollected()) return toLack({ state: 'not collected', label, command });
    if (needed < 2 || read.isAnyRepeated(needed)) return { isEnough: true, lack: undefined };
    const detail = `${needed} ${called} of the same ${kindTable[kind].targetType} at different times are needed, and there are none`;
    return toLack({ state: 'collected in part', label, detail, command });
  }
  const { isCollected, complete, erased, newest } = read.of(target.value);
  if (needed > 0 ? complete >= needed : isCollected)
    return { isEnough: true, lack: findErasure(label, erased) ?? findLimit(kind, label, newest?.state) };
  const counts = isCountedList(kind) && isCollected ? readCountPair(db, target.value, kind) : undefined;
  if (newest?.state === 'capped' && complete === 0)
    return toLack({ state: 'not available', label, detail: 'the service shows only a part of it', counts });
  const ended =
    newest &&
    `crawl ${newest.id} is ${newest.state}${newest.reason === null ? '' : `: ${describeStopReason(newest.reason)}`}`;
  if (!isCollected) return toLack({ state: 'not collected', label, detail: ended, command });
  if (complete === 0) return toLack({ state: 'collected in part', label, detail: ended, counts, command });
  const detail = `${needed} ${called} at different times are needed, and there ${complete === 1 ? 'is one' : `are ${complete}`}`;
  return toLack({ state: 'collected in part', label, detail, command });
}

/** A list whose pages showed forgotten accounts. */
const findErasure = (label: string, erased: number): Lack | undefined =>
  erased === 0
    ? undefined
    : {
        state: 'not available',
        label,
        detail: `${pluralize(erased, 'item is', 'items are')} erased: the accounts are forgotten`,
      };

/** A list of which nothing shows whether it is complete. */
function findLimit(kind: KindName, label: string, state: string | undefined): Lack | undefined {
  if (kindTable[kind].shape !== 'unpaged list' || state !== 'capped') return undefined;
  return { state: 'not available', label, detail: 'all that the service shows is stored; there may be more' };
}
