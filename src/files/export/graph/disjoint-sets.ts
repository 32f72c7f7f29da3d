/** Disjoint sets of the integers below a size (union-find), in 8 bytes each. At first, each integer is a set of its own. */
export interface DisjointSets {
  /** Unites the sets of two integers. */
  unite(a: number, b: number): void;
  /** The representative of the set of an integer. */
  find(a: number): number;
}

export function createDisjointSets(size: number): DisjointSets {
  const parents = new Uint32Array(size).map((_, i) => i);
  const sizes = new Uint32Array(size).fill(1);
  function find(a: number): number {
    let at = a;
    while (parents[at] !== at) {
      // Halving the path keeps later searches short.
      parents[at] = parents[parents[at]!]!;
      at = parents[at]!;
    }
    return at;
  }
  return {
    find,
    unite(a, b) {
      const [one, other] = [find(a), find(b)];
      if (one === other) return;
      const [large, small] = sizes[one]! < sizes[other]! ? [other, one] : [one, other];
      parents[small] = large;
      sizes[large]! += sizes[small]!;
    },
  };
}
