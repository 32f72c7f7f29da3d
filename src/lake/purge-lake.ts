import { dropTexts } from '#store/erasure/drop-json-texts.ts';
import { createFactFilter, keyColumns } from '#store/erasure/erase-facts.ts';
import { ERASED_MARK } from '#store/erasure/erased-mark.ts';
import {
  createForgottenNames,
  type ForgottenNames,
  isForgottenTarget,
} from '#store/erasure/incoming/forgotten-targets.ts';
import { createTombstones, type MentionsPolicy, type Tombstone } from '#store/erasure/tombstones.ts';
import { type Fact, FACT_TABLE_NAMES, type FactTableName, FACT_TABLES } from '#store/outbox/fact-tables.ts';
import { readTombstones } from './apply-erasures.ts';
import type { FactLine } from './files/fact-file.ts';
import { changeFacts, type FactChange, type FactPart, type LakeContent } from './files/lake-content.ts';
import type { WorkFolder } from './files/lake-storage.ts';

export interface PurgeOptions {
  readonly content: LakeContent;
  /** The claimed folder of the content. */
  readonly folder: WorkFolder;
  /** Counts, and changes nothing. */
  readonly isDryRun: boolean;
  /** Ends the purge between two files. */
  readonly signal: AbortSignal;
  /** Called with the file that is read, and the files read before. */
  readonly onProgress?: ((part: string, done: number) => void) | undefined;
}

/** What a purge changed, or would change. */
export interface PurgeSummary {
  /** The hashes of forgotten accounts. */
  readonly hashes: number;
  readonly files: number;
  readonly tables: readonly { readonly table: FactTableName; readonly removed: number; readonly changed: number }[];
}

/**
 * Rewrites the files of a lake without the accounts that any of its stores has forgotten. Each file is replaced at once. A
 * killed purge is continued by the next one: facts by which tweets are known to be theirs go last.
 * @throws the reason of the signal
 */
export async function purgeLake({
  content,
  folder,
  isDryRun,
  signal,
  onProgress,
}: PurgeOptions): Promise<PurgeSummary> {
  const counts = new Map<FactTableName, { removed: number; changed: number }>();
  const files = new Set<string>();
  let done = 0;
  const { names, hashes, filter } = await readForgotten(content, read);
  if (hashes === 0) return { hashes, files: 0, tables: [] };
  if (!isDryRun) await content.removeReplaced();
  const showsTweet = (fact: Fact): boolean => !findOwnTweets(fact, names).next().done;

  async function* read(part: FactPart, tables?: readonly FactTableName[]): AsyncGenerator<FactLine, void, undefined> {
    signal.throwIfAborted();
    onProgress?.(part.name, done);
    done += 1;
    yield* part.read(tables);
  }

  /** Purges all files. @param keeps facts that stay as they are @param tables only facts of these tables */
  async function purge(
    keeps: (table: FactTableName, fact: Fact) => boolean,
    tables?: readonly FactTableName[],
  ): Promise<void> {
    const change: FactChange = (table, fact) => (keeps(table, fact) ? fact : filter(table, fact));
    for (const part of await content.listParts()) {
      let isChanged = false;
      for await (const { facts } of read(part, tables)) {
        changeFacts(facts, (table, fact) => {
          const changed = change(table, fact);
          if (changed === fact) return fact;
          isChanged = true;
          const count = counts.get(table) ?? { removed: 0, changed: 0 };
          count[changed ? 'changed' : 'removed'] += 1;
          counts.set(table, count);
          return changed;
        });
      }
      if (!isChanged) continue;
      files.add(part.name);
      if (!isDryRun) await part.replace(change, folder);
    }
  }

  const isOwnTweet = (table: FactTableName, fact: Fact): boolean => table === 'tweet_sightings' && showsTweet(fact);
  await purge(isOwnTweet);
  await purge((table, fact) => !isOwnTweet(table, fact), ['tweet_sightings']);
  const tables = FACT_TABLE_NAMES.flatMap((table) => {
    const count = counts.get(table);
    return count ? [{ table, ...count }] : [];
  });
  return { hashes, files: files.size, tables };
}

/** The facts of a lake without the accounts that any of its stores has forgotten, and without its erasures. */
export interface LakeWithoutForgotten {
  readonly content: LakeContent;
  readonly tombstones: readonly Tombstone[];
}

/** Omits forgotten accounts from the facts of a lake. @throws the reason of the signal */
export async function omitForgotten(content: LakeContent, signal: AbortSignal): Promise<LakeWithoutForgotten> {
  const { filter, tombstones } = await readForgotten(content, (part, tables) => {
    signal.throwIfAborted();
    return part.read(tables);
  });
  if (tombstones.length === 0) return { content, tombstones };
  const omit: FactChange = (table, fact) => (table === 'erasures' ? undefined : filter(table, fact));
  return {
    tombstones,
    content: {
      ...content,
      async listParts(store) {
        const parts = await content.listParts(store);
        return parts.map((part) => ({
          ...part,
          async *read(tables) {
            for await (const line of part.read(tables)) yield { ...line, facts: changeFacts(line.facts, omit) };
          },
        }));
      },
    },
  };
}

/** Whom the stores of a lake have forgotten. Each store has a key of its own. */
export interface Forgotten {
  readonly names: ForgottenNames;
  readonly tombstones: readonly Tombstone[];
  /** The number of hashes. */
  readonly hashes: number;
  /** Returns a fact without them: see `createPurgeFilter`. */
  readonly filter: ReturnType<typeof createPurgeFilter>;
}

/** Reads the erasures of all stores of a lake. If several name an account, mentions of it are redacted if one says so. */
async function readForgotten(
  content: LakeContent,
  read: (part: FactPart, tables: readonly FactTableName[]) => AsyncIterable<FactLine>,
): Promise<Forgotten> {
  const policies = new Map<string, MentionsPolicy>();
  const keys = new Set<string>();
  const parts = await content.listParts();
  const tombstones = await readTombstones(parts, read);
  for (const { key, hash, mentions } of tombstones) {
    keys.add(key);
    if (policies.get(hash) !== 'redact') policies.set(hash, mentions);
  }
  const hasRedaction = [...policies.values()].includes('redact');
  const names = createForgottenNames(createTombstones([...keys], (hash) => policies.get(hash), hasRedaction));
  const tweets = new Set<string>();
  if (policies.size > 0)
    for (const part of parts)
      for await (const { facts } of read(part, ['tweet_sightings']))
        for (const fact of facts.tweet_sightings ?? []) for (const id of findOwnTweets(fact, names)) tweets.add(id);
  return { names, tombstones, hashes: policies.size, filter: createPurgeFilter(names, tweets) };
}

const TWEET: Readonly<Record<string, number>> = Object.fromEntries(
  Object.keys(FACT_TABLES.tweet_sightings.columns).map((column, i) => [column, i]),
);

/** The ids of tweets that a fact shows to be of forgotten accounts: its own, or the one that it answers. */
function* findOwnTweets(fact: Fact, names: ForgottenNames): Generator<string, void, undefined> {
  const isOf = (author: string, tweet: string): boolean =>
    typeof fact[TWEET[author]!] === 'string' &&
    typeof fact[TWEET[tweet]!] === 'string' &&
    names.isAccount(fact[TWEET[author]!] as string);
  if (isOf('author_rest_id', 'rest_id')) yield fact[TWEET['rest_id']!] as string;
  if (isOf('in_reply_to_user_rest_id', 'in_reply_to_status_rest_id'))
    yield fact[TWEET['in_reply_to_status_rest_id']!] as string;
}

/**
 * Returns a function that returns a fact without forgotten accounts: the fact itself if it names none, and undefined if it
 * goes. Ids decide: another account may have a handle now. Display names are not known by hashes.
 * @param tweets the ids of their tweets
 */
function createPurgeFilter(names: ForgottenNames, tweets: ReadonlySet<string>) {
  const isId = (id: string): boolean => tweets.has(id) || names.isAccount(id);
  const note = (text: string): string => (names.isNamedIn(text) ? ERASED_MARK : text);
  const scrub = (json: string, isMentioned: (text: string) => boolean): string => {
    const value: unknown = JSON.parse(json);
    const scrubbed = dropTexts(value, (text) => isId(text) || isMentioned(text));
    return JSON.stringify(scrubbed) === JSON.stringify(value) ? json : JSON.stringify(scrubbed);
  };
  const isTarget = (target: string, kind: string): boolean =>
    tweets.has(target) || names.isAccount(target) || isForgottenTarget({ kind, target }, names, () => false);
  return createFactFilter(
    {
      isId,
      isHandle: names.isHandle,
      hides: {
        account: isId,
        tweet: isId,
        query: (text) => names.isNamedIn(text),
        list: isTarget,
        target: (target, kind, textOf) => textOf('target_rest_id') === undefined && isTarget(target, kind),
      },
      changes: {
        item: (id) => (isId(id) ? '' : id),
        json: (json) => scrub(json, names.isNamedIn),
        notes: note,
        words: names.redact,
        names: (json) => scrub(json, names.isMention),
      },
    },
    keyColumns((_, place) => place),
  );
}
