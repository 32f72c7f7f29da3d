/** Items per batch of reads, writes and new jobs. Batches bound the memory and let other work run in between. */
export const BATCH_SIZE = 500;

/** Splits items into batches, in order. */
export function* splitIntoBatches<T>(items: Iterable<T>): Generator<T[], void> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < BATCH_SIZE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Reads rows in batches, in order of id. @param read returns the first rows after an id */
export async function* readInBatches<T extends { readonly id: number }>(
  read: (after: number, most: number) => Promise<readonly T[]>,
): AsyncGenerator<readonly T[], void> {
  for (let after = 0; ;) {
    const page = await read(after, BATCH_SIZE);
    if (page.length > 0) yield page;
    if (page.length < BATCH_SIZE) return;
    after = page.at(-1)!.id;
  }
}
