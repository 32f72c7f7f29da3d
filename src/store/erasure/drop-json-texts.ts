/**
 * Returns a value of JSON without the texts for which `isErased` holds: in arrays they are left out, others are empty.
 * @param key that of the value, and of the array that it is in
 */
export function dropTexts(value: unknown, isErased: (text: string, key: string) => boolean, key = ''): unknown {
  if (typeof value === 'string') return isErased(value, key) ? '' : value;
  if (Array.isArray(value))
    return value
      .filter((each) => typeof each !== 'string' || !isErased(each, key))
      .map((each) => dropTexts(each, isErased, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, dropTexts(each, isErased, name)]));
}
