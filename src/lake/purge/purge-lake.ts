import { type Fact, FACT_TABLE_NAMES, type FactTableName } from '../../store/outbox/fact-tables.ts';
import type { FactPart, LakeContent } from '../files/lake-content.ts';
import type { WorkFolder } from '../files/lake-storage.ts';
import { readForgotten } from './forgotten.ts';
import { createPurgeFilter, findOwnTweets } from './purge-filter.ts';

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
  const { names, hashes } = await readForgotten(content);
  const counts = new Map<FactTableName, { removed: number; changed: number }>();
  const files = new Set<string>();
  let done = 0;
  if (hashes === 0) return { hashes, files: 0, tables: [] };

  const tweets = new Set<string>();
  for (const part of await content.listParts('tweet_sightings'))
    for await (const facts of read(part))
      for (const fact of facts) for (const id of findOwnTweets(fact, names)) tweets.add(id);
  const filter = createPurgeFilter(names, tweets);
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
