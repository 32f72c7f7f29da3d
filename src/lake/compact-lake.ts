import { join } from 'node:path';
import { createFactFile } from './files/fact-file.ts';
import { FILE_BYTES } from './files/lake-batch.ts';
import type { FactPart, LakeContent } from './files/lake-content.ts';
import type { WorkFolder } from './files/lake-storage.ts';
import { factFilePath, type Lake } from './files/lake.ts';

export interface CompactOptions {
  readonly lake: Lake;
  readonly content: LakeContent;
  /** The claimed folder of the content. */
  readonly folder: WorkFolder;
  /** Ends it between two files. */
  readonly signal: AbortSignal;
  /** Called with the number of files that were read. */
  readonly onProgress: (files: number) => void;
}

export interface CompactSummary {
  /** Shipped files that are replaced, and the files that replace them. */
  readonly replaced: number;
  readonly made: number;
}

/**
 * Combines the files that a store has shipped since the last run into larger ones. A combined file counts from the moment when it
 * is there. Those that it replaces are deleted by the next run, so that readers finish. @throws the reason of the signal
 */
export async function compactLake(options: CompactOptions): Promise<CompactSummary> {
  const { content, signal, onProgress } = options;
  await content.removeReplaced();
  let [replaced, made] = [0, 0];
  for (const run of findRuns(await content.listParts())) {
    while (run.length > 0) {
      signal.throwIfAborted();
      replaced += await combine(run, options);
      made += 1;
      onProgress(replaced);
    }
  }
  return { replaced, made };
}

/** Returns files in a row that one store has shipped and that are not combined. */
function findRuns(parts: readonly FactPart[]): FactPart[][] {
  const runs: FactPart[][] = [];
  for (const [i, part] of parts.entries()) {
    const before = parts[i - 1];
    if (part.replaces > 0) continue;
    if (before?.store === part.store && before.replaces === 0) runs.at(-1)!.push(part);
    else runs.push([part]);
  }
  return runs.filter(({ length }) => length > 1);
}

/** Combines the first files of a run, which it removes from it, until the new file has its full size. Returns their number. */
async function combine(run: FactPart[], { lake, folder }: CompactOptions): Promise<number> {
  const [{ store, first }] = run as [FactPart];
  const path = join(folder.path, 'facts.jsonl.br');
  await using file = createFactFile(path, store);
  let [replaces, last] = [0, first];
  // All files of an entry stay together.
  for (let part = run[0]; part && (file.bytes < FILE_BYTES || part.first <= last); part = run[0]) {
    for await (const { entry, crawlId, facts } of part.read()) await file.add(entry, crawlId, JSON.stringify(facts));
    last = part.last;
    replaces += 1;
    run.shift();
  }
  await file.finish();
  await lake.move(path, factFilePath({ store, first, last, part: 0, replaces }));
  return replaces;
}
