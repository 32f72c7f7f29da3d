/** Steps into parsed JSON of which nothing is known. */

export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a dotted path of keys; undefined where the path leads nowhere. */
export function readPath(data: unknown, path: string): unknown {
  let value: unknown = data;
  for (const key of path.split('.')) value = isObject(value) ? value[key] : undefined;
  return value;
}
