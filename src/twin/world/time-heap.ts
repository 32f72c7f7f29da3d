/** A priority queue by time; of equal times, first in, first out. */
export function createTimeHeap<T>() {
  const heap: { at: number; sequence: number; item: T }[] = [];
  let nextSequence = 0;
  const isBefore = (a: number, b: number): boolean => {
    const [x, y] = [heap[a]!, heap[b]!];
    return x.at < y.at || (x.at === y.at && x.sequence < y.sequence);
  };
  const swap = (a: number, b: number): void => {
    [heap[a], heap[b]] = [heap[b]!, heap[a]!];
  };
  return {
    /** The time of the first item; infinite if there is none. */
    get earliest(): number {
      return heap[0]?.at ?? Number.POSITIVE_INFINITY;
    },
    push(at: number, item: T): void {
      heap.push({ at, sequence: (nextSequence += 1), item });
      for (let i = heap.length - 1; i > 0;) {
        const parent = (i - 1) >> 1;
        if (!isBefore(i, parent)) break;
        swap(i, parent);
        i = parent;
      }
    },
    pop(): T | undefined {
      if (heap.length === 0) return undefined;
      swap(0, heap.length - 1);
      const { item } = heap.pop()!;
      for (let i = 0; ;) {
        const [left, right] = [2 * i + 1, 2 * i + 2];
        let smallest = i;
        if (left < heap.length && isBefore(left, smallest)) smallest = left;
        if (right < heap.length && isBefore(right, smallest)) smallest = right;
        if (smallest === i) return item;
        swap(i, smallest);
        i = smallest;
      }
    },
  };
}
