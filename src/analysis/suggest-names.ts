/** So many are worth reading. */
const MOST = 4;

/** Of these names those that have most in common with one that is none of them, the nearest first. */
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

/** Its neighbouring letters, with its begin and its end. */
function pairsOf(name: string): Set<string> {
  const text = `^${name.toLowerCase()}$`;
  return new Set(Array.from({ length: text.length - 1 }, (_, i) => text.slice(i, i + 2)));
}
