import { decompressBodySync } from '#base/raw-bodies.ts';
import { getKind, TWEET_KINDS } from '#service/kinds/kinds.ts';
import { parseAccount } from '#service/kinds/target.ts';
import { dropTexts } from '#store/erasure/drop-json-texts.ts';
import { createFactFilter, keyColumns } from '#store/erasure/erase-facts.ts';
import { ERASED_MARK } from '#store/erasure/erased-mark.ts';
import { recordTombstoneFacts } from '#store/erasure/tombstone-facts.ts';
import { addHandle, identifyAccount, prepareTombstones, type Tombstones } from '#store/erasure/tombstones.ts';
import { PROPERTY_NAMES } from '#store/outbox/fact-tables.ts';
import type { Outbox } from '#store/outbox/outbox.ts';
import { TWEET_RELATIONS } from '#store/relations/list-relations.ts';
import type { PageCommit, RawPage, RequestEntry, ServedPage } from '#store/schema/commit-messages.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import { NO_ROWS, type PageRows, type TweetList, type UserRow } from '#store/schema/normalised-rows.ts';
import type { Db } from '#store/sqlite/database.ts';
import { createForgottenNames, type ForgottenNames, isForgottenTarget } from './forgotten-targets.ts';

/** A page without what must not be stored of it. */
export interface FilteredPage {
  readonly page: PageCommit;
  /** Items of forgotten accounts. */
  readonly erasedItems: number;
  /** The bodies are left out. */
  readonly isWithheld: boolean;
  /** The crawl is about a forgotten account: its row names nobody. */
  readonly isOfForgotten: boolean;
}

type PageCrawl = Pick<CrawlRow, 'id' | 'kind' | 'target' | 'targetRestId'>;

/**
 * Prepares the removal of forgotten accounts from pages that are about to be stored (decision 61), inside the caller's
 * transaction. Without tombstones it costs one look-up. New handles of forgotten accounts are recorded as facts.
 */
export function preparePageFilter(db: Db, outbox: Outbox): (crawl: PageCrawl, page: PageCommit) => FilteredPage {
  const readTombstones = prepareTombstones(db);
  const isStoredTweet = db.$client.prepare<[string]>('select 1 from tweets where rest_id = ?');

  return (crawl, page) => {
    const tombstones = readTombstones();
    if (!tombstones) return { page, erasedItems: 0, isWithheld: false, isOfForgotten: false };
    const hashes = [...(page.lookups ?? []), page].flatMap(({ rows }) => identifyAccounts(db, rows, tombstones));
    const names = createForgottenNames(tombstones);
    const filtered = filterRows(page.rows, names);
    const lookups = (page.lookups ?? []).map((lookup) => ({ ...lookup, ...filterRows(lookup.rows, names) }));
    const all: readonly FilteredRows[] = [...lookups, filtered];
    for (const { restId, screenName } of all.flatMap(({ users }) => users))
      if (screenName != null) hashes.push(...addHandle(db, restId, screenName));
    if (hashes.length > 0) recordTombstoneFacts(db, outbox, page.at, hashes);
    const requests = page.requests.map((request) => redactError(request, names));
    if (isAboutForgotten(crawl, page, filtered.tweetIds, names))
      return { page: { ...emptyPage(page), requests }, erasedItems: 0, isWithheld: true, isOfForgotten: true };
    // A checkpoint has ids of earlier pages, too: a tweet that neither they nor this one stored is left out.
    const keptTweets = new Set([filtered, ...lookups].flatMap(({ rows }) => rows.tweets.map(({ restId }) => restId)));
    const isOfTweets = (TWEET_KINDS as readonly string[]).includes(crawl.kind);
    const isErased = (id: string): boolean =>
      names.isAccount(id) || (isOfTweets && !keptTweets.has(id) && isStoredTweet.get(id) === undefined);
    const kept = { ...removeIds(page, isErased), requests };
    const isWithheld =
      all.some(({ hasChanged }) => hasChanged) || page.bodies.some((body) => showsForgotten(body, names));
    const clean = (rows: PageRows): PageRows => redactSamples(rows, isWithheld ? () => true : names.isNamedIn);
    const children = page.children.filter((child) => !isForgottenTarget(child, names, () => false));
    return {
      page: {
        ...kept,
        children,
        rows: clean(filtered.rows),
        bodies: isWithheld ? [] : page.bodies,
        lookups: lookups.map(({ at, rows, responseIndex }) => ({
          at,
          responseIndex,
          rows: clean(rows),
        })),
      },
      erasedItems: filtered.items,
      isWithheld,
      isOfForgotten: false,
    };
  };
}

/** Prepares the removal of forgotten accounts from the rows of a stored page that is parsed again. */
export function prepareRowsFilter(db: Db, outbox: Outbox): (rows: PageRows, at: number) => PageRows {
  const readTombstones = prepareTombstones(db);
  return (rows, at) => {
    const tombstones = readTombstones();
    if (!tombstones) return rows;
    const hashes = identifyAccounts(db, rows, tombstones);
    if (hashes.length > 0) recordTombstoneFacts(db, outbox, at, hashes);
    return filterRows(rows, createForgottenNames(tombstones)).rows;
  };
}

/** Finds the accounts of handles that were erased without an id. Returns the new tombstones. */
const identifyAccounts = (db: Db, { users }: PageRows, tombstones: Tombstones): string[] =>
  users.flatMap(({ restId, screenName }) =>
    screenName != null && tombstones.findHandle(screenName) !== undefined
      ? identifyAccount(db, restId, screenName)
      : [],
  );

/** Whether the crawl is about a forgotten account or its tweet. */
function isAboutForgotten(
  crawl: PageCrawl,
  { progress }: PageCommit,
  tweetIds: readonly string[],
  names: ForgottenNames,
): boolean {
  const { targetType } = getKind(crawl.kind);
  if (targetType === 'tweet') return tweetIds.includes(crawl.target);
  if (targetType !== 'account') return false;
  const account = parseAccount(crawl.target);
  const id = progress.targetRestId ?? ('id' in account ? account.id : undefined);
  return id !== undefined && names.isAccount(id);
}

/** What is left of a page of a forgotten account: its requests. */
const emptyPage = (page: PageCommit): PageCommit => ({
  crawlId: page.crawlId,
  lease: page.lease,
  requestCursor: page.requestCursor,
  at: page.at,
  endpoints: page.endpoints,
  responseIndex: page.responseIndex,
  requests: [],
  bodies: [],
  children: [],
  rows: NO_ROWS,
  progress: {
    ...page.progress,
    cursor: null,
    checkpoint: null,
    targetRestId: null,
    items: 0,
    rejectedItems: 0,
  },
});

/** Removes the ids of erased items from the checkpoint and the coverage; the times of these items stay. */
function removeIds(page: PageCommit, isErased: (id: string) => boolean): PageCommit {
  const remove = <T>(value: T): T => dropTexts(value, (id, key) => ID_KEYS.includes(key) && isErased(id)) as T;
  const { progress, coverage, searchedWindow } = page;
  return {
    ...page,
    progress: { ...progress, checkpoint: remove(progress.checkpoint) },
    coverage: remove(coverage),
    searchedWindow: searchedWindow && { ...searchedWindow, saturated: remove(searchedWindow.saturated) },
  };
}

/** The keys of ids of items in a checkpoint, the coverage and a searched window. */
const ID_KEYS = ['id', 'firstIds', 'ids', 'newerId', 'olderId'];

/** Samples are the beginnings of items, whose owner may be unreadable. */
function redactSamples(rows: PageRows, isErased: (sample: string) => boolean): PageRows {
  const redact = <Row extends { readonly sample: string }>(row: Row): Row =>
    isErased(row.sample) ? { ...row, sample: ERASED_SAMPLE } : row;
  const { rejects, drift, dropped } = rows;
  return { ...rows, rejects: rejects.map(redact), drift: drift.map(redact), dropped: dropped?.map(redact) };
}

const ERASED_SAMPLE = JSON.stringify(ERASED_MARK);

/** An error may quote the request. */
const redactError = (request: RequestEntry, names: ForgottenNames): RequestEntry =>
  request.error !== undefined && names.isNamedIn(request.error) ? { ...request, error: ERASED_MARK } : request;

/** Whether the body of a page, or the request that it answers, shows a forgotten account. */
function showsForgotten(page: ServedPage | RawPage, names: ForgottenNames): boolean {
  const body = 'encoding' in page ? decompressBodySync(page) : page.body;
  const { screenName: _, ...parameters } = JSON.parse(page.parameters) as Readonly<Record<string, unknown>>;
  // A crawl asks for a handle only if another account has it now.
  return isShownInParts([new TextDecoder().decode(body), JSON.stringify(parameters), page.headers ?? ''], names);
}

/** Whether parts of a response, as JSON or another text, show a forgotten account. */
const isShownInParts = (parts: readonly string[], names: ForgottenNames): boolean =>
  parts.some((part) => {
    try {
      return names.isShownIn(JSON.parse(part));
    } catch {
      return names.isNamedIn(part);
    }
  });

/** The rows of a response without those of forgotten accounts. */
interface FilteredRows {
  readonly rows: PageRows;
  /** The rows of forgotten accounts. */
  readonly users: readonly UserRow[];
  /** The ids of their tweets. */
  readonly tweetIds: readonly string[];
  /** The items that are left out: members of a list of accounts, or tweets. */
  readonly items: number;
  /** A row was left out or changed. */
  readonly hasChanged: boolean;
}

const ROW_COLUMNS = keyColumns((column) => PROPERTY_NAMES[column]!);

/** Removes the rows of forgotten accounts, and what names them in the other rows as their erasures demand. */
function filterRows(rows: PageRows, names: ForgottenNames): FilteredRows {
  const { isAccount } = names;
  const users = rows.users.filter(({ restId }) => isAccount(restId));
  const tweetIds = rows.tweets.flatMap(({ restId, authorRestId: id }) => (id != null && isAccount(id) ? [restId] : []));
  const members = rows.follows.flatMap((list) => list.members).filter(isAccount);
  const items = members.length > 0 ? members.length : tweetIds.length;
  // A list of a forgotten account: its members are known only by it.
  if (rows.follows.some(({ owner }) => isAccount(owner))) {
    const others = { ...rows, users: [], tweets: [], follows: [], tweetLists: [] };
    return { users, tweetIds, items, rows: others, hasChanged: true };
  }
  const erased = new Set(tweetIds);
  const isErased: Readonly<Record<string, (id: string) => boolean>> = {
    users: isAccount,
    tweets: (id) => erased.has(id),
  };
  const filterRow = createFactFilter(
    {
      isId: isAccount,
      isHandle: names.isHandle,
      hides: { account: isAccount },
      changes: { words: names.redact },
      isMention: names.isMention,
    },
    ROW_COLUMNS,
  );
  /** An account that has the handle now may write it. */
  const isHeir = ({ restId, screenName }: UserRow): boolean =>
    screenName != null && names.isHandle(screenName) && !isAccount(restId);
  const kept = {
    ...rows,
    users: rows.users.flatMap((user) => (isHeir(user) ? user : (filterRow('user_sightings', user) ?? []))),
    tweets: rows.tweets.flatMap((tweet) => filterRow('tweet_sightings', tweet) ?? []),
    follows: rows.follows.map((list) => ({ ...list, members: list.members.filter((id) => !isAccount(id)) })),
    tweetLists: rows.tweetLists
      .filter(({ kind, target }) => !isErased[TWEET_RELATIONS[kind].owners]?.(target))
      .flatMap((list) => filterRow('group_sightings', keepTweets(list, erased)) ?? []),
  };
  const hasChanged =
    users.length + items > 0 ||
    (['users', 'tweets', 'tweetLists'] as const).some((name) =>
      kept[name].some((row) => !(rows[name] as readonly object[]).includes(row)),
    );
  return { users, tweetIds, items, rows: hasChanged ? kept : rows, hasChanged };
}

/** Returns the list itself if it shows no erased tweet. */
const keepTweets = (list: TweetList, erased: ReadonlySet<string>): TweetList =>
  list.tweets.some((id) => erased.has(id)) ? { ...list, tweets: list.tweets.filter((id) => !erased.has(id)) } : list;
