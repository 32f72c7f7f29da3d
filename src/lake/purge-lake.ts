import { createFactFilter, keyColumns } from '#store/erasure/erase-facts.ts';
import { eraseTexts } from '#store/erasure/erase-texts.ts';
import { ERASED_MARK } from '#store/erasure/erased-mark.ts';
import {
  createForgottenNames,
  type ForgottenNames,
  isForgottenTarget,
} from '#store/erasure/incoming/forgotten-targets.ts';
import { hashAccount, hashHandle, type MentionsPolicy, type Tombstones } from '#store/erasure/tombstones.ts';
import {
  type Fact,
  FACT_TABLE_NAMES,
  type FactTableName,
  COMMON_COLUMNS,
  FACT_TABLES,
} from '#store/outbox/fact-tables.ts';
import type { FactPart, LakeContent } from './files/lake-content.ts';
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
  const showsTweet = (fact: Fact): boolean => !findOwnTweets(fact, names).next().done;

  async function* read(part: FactPart): AsyncGenerator<readonly Fact[], void, undefined> {
    signal.throwIfAborted();
    onProgress?.(part.name, done);
    done += 1;
    yield* part.read();
  }

  /** Purges a table. @param keeps facts that stay as they are */
  async function purgeTable(table: FactTableName, keeps: (fact: Fact) => boolean): Promise<void> {
    const count = counts.get(table) ?? { removed: 0, changed: 0 };
    counts.set(table, count);
    const change = (fact: Fact): Fact | undefined => (keeps(fact) ? fact : filter(table, fact));
    for (const part of await content.listParts(table)) {
      const before = { ...count };
      for await (const facts of read(part)) {
        for (const fact of facts) {
          const changed = change(fact);
          if (!changed) count.removed += 1;
          else if (changed !== fact) count.changed += 1;
        }
      }
      if (count.removed === before.removed && count.changed === before.changed) continue;
      files.add(part.name);
      if (!isDryRun) await part.replace(change, folder);
    }
  }

  for (const table of FACT_TABLE_NAMES) await purgeTable(table, table === 'tweet_sightings' ? showsTweet : () => false);
  await purgeTable('tweet_sightings', (fact) => !showsTweet(fact));
  const tables = Array.from(counts, ([table, count]) => ({ table, ...count }));
  return { hashes, files: files.size, tables: tables.filter(({ removed, changed }) => removed + changed > 0) };
}

/** The facts of a lake without the accounts that any of its stores has forgotten, and without its erasures. */
export interface LakeWithoutForgotten {
  readonly content: LakeContent;
  /** The number of hashes of these accounts. */
  readonly hashes: number;
}

/** Omits forgotten accounts from the facts of a lake. @throws the reason of the signal */
export async function omitForgotten(content: LakeContent, signal: AbortSignal): Promise<LakeWithoutForgotten> {
  const { filter, hashes } = await readForgotten(content, (part) => {
    signal.throwIfAborted();
    return part.read();
  });
  return {
    hashes,
    content: {
      ...content,
      async listParts(table, store) {
        if (table === 'erasures') return [];
        const parts = await content.listParts(table, store);
        return parts.map((part) => ({
          ...part,
          async *read() {
            for await (const facts of part.read())
              yield facts.map((fact) => filter(table, fact)).filter((fact) => fact !== undefined);
          },
        }));
      },
    },
  };
}

const COLUMNS = Object.keys({ ...COMMON_COLUMNS, ...FACT_TABLES.erasures.columns });
const [KEY, HASH, MENTIONS] = ['key', 'hash', 'mentions'].map((column) => COLUMNS.indexOf(column)) as [
  number,
  number,
  number,
];

/** Whom the stores of a lake have forgotten. Each store has a key of its own. */
export interface Forgotten {
  readonly names: ForgottenNames;
  /** The number of hashes. */
  readonly hashes: number;
  /** Returns a fact without them: see `createPurgeFilter`. */
  readonly filter: ReturnType<typeof createPurgeFilter>;
}

/** Reads the erasures of all stores of a lake. If several name an account, mentions of it are redacted if one says so. */
async function readForgotten(
  content: LakeContent,
  read: (part: FactPart) => AsyncIterable<readonly Fact[]>,
): Promise<Forgotten> {
  const policies = new Map<string, MentionsPolicy>();
  const keys = new Set<string>();
  for (const part of await content.listParts('erasures')) {
    for await (const facts of part.read()) {
      for (const fact of facts) {
        const hash = fact[HASH] as string;
        keys.add(fact[KEY] as string);
        if (policies.get(hash) !== 'redact') policies.set(hash, (fact[MENTIONS] ?? 'keep') as MentionsPolicy);
      }
    }
  }
  const find = (hashOf: (key: string) => string): MentionsPolicy | undefined => {
    const found = [...keys].flatMap((key) => policies.get(hashOf(key)) ?? []);
    return found.includes('redact') ? 'redact' : found[0];
  };
  const tombstones: Tombstones = {
    isEmpty: () => policies.size === 0,
    hasRedaction: () => [...policies.values()].includes('redact'),
    isForgottenAccount: (restId) => find((key) => hashAccount(key, restId)) !== undefined,
    findHandle: (handle) => find((key) => hashHandle(key, handle)),
  };
  const names = createForgottenNames(tombstones);
  const tweets = new Set<string>();
  if (policies.size > 0)
    for (const part of await content.listParts('tweet_sightings'))
      for await (const facts of read(part))
        for (const fact of facts) for (const id of findOwnTweets(fact, names)) tweets.add(id);
  return { names, hashes: policies.size, filter: createPurgeFilter(names, tweets) };
}

const COMMON = Object.keys(COMMON_COLUMNS).length;
const TWEET: Readonly<Record<string, number>> = Object.fromEntries(
  Object.keys(FACT_TABLES.tweet_sightings.columns).map((column, i) => [column, i + COMMON]),
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
    const scrubbed = eraseTexts(value, (text) => isId(text) || isMentioned(text));
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
    keyColumns((_, place) => COMMON + place),
  );
}
