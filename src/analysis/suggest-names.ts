/** The maximum number of suggestions. */
const MOST = 4;

/** Returns the names that are most similar to an unknown name, the most similar first. */
export function suggestNames(name: string, names: readonly string[]): string[] {
  const wanted = pairsOf(name);
  return names
    .map((one) => {
      const pairs = pairsOf(one);
      const shared = [...wanted].filter((pair) => pairs.has(pair)).length;
      return { one, likeness: (2 * shared) / (wanted.size + pairs.size) };
    })
    .filter(({ likeness }) => likeness > 0.5)
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, MOST)
    .map(({ one }) => one);
}

/** The pairs of neighbouring letters (Dice's coefficient), with marks for start and end. */
function pairsOf(name: string): Set<string> {
  const text = `^${name.toLowerCase()}$`;
  return new Set(Array.from({ length: text.length - 1 }, (_, i) => text.slice(i, i + 2)));
}
