/** How many crawls are read, stored or queued at a time: memory stays flat, and others get their turn in between. */
export const BATCH_SIZE = 500;

/** The items in their order, so many at a time. */
export function* splitIntoBatches<T>(items: Iterable<T>, size: number = BATCH_SIZE): Generator<T[], void> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Rows in the order of their ids, read so many at a time: `read` returns the first ones after an id. */
export async function* readInBatches<T extends { readonly id: number }>(
  read: (after: number, most: number) => Promise<readonly T[]>,
  size: number = BATCH_SIZE,
): AsyncGenerator<readonly T[], void> {
  for (let after = 0; ;) {
    const page = await read(after, size);
    if (page.length > 0) yield page;
    if (page.length < size) return;
    after = page.at(-1)!.id;
  }
}
