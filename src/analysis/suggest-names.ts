/** The maximum number of suggestions. */
const MOST = 4;

/** Returns the names that are most similar to an unknown name, the most similar first. */
export function suggestNames(name: string, names: readonly string[]): string[] {
  const wanted = listLetterPairs(name);
  return names
    .map((known) => {
      const pairs = listLetterPairs(known);
      const shared = [...wanted].filter((pair) => pairs.has(pair)).length;
      return { known, similarity: (2 * shared) / (wanted.size + pairs.size) };
    })
    .filter(({ similarity }) => similarity > 0.5)
    .toSorted((a, b) => b.similarity - a.similarity)
    .slice(0, MOST)
    .map(({ known }) => known);
}

/** The pairs of neighbouring letters (Dice's coefficient), with marks for start and end. */
function listLetterPairs(name: string): Set<string> {
  const text = `^${name.toLowerCase()}$`;
  return new Set(Array.from({ length: text.length - 1 }, (_, i) => text.slice(i, i + 2)));
}
