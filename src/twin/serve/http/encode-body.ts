/** The data of a response: an object, or the parts of JSON written by SQLite. */
export type ResponseData = object | readonly Buffer[];

/** Encodes `{ "data": … }` (spec, General rules, 4). */
export function encodeBody(data: ResponseData): Buffer {
  if (!Array.isArray(data)) return Buffer.from(JSON.stringify({ data }));
  return Buffer.concat([START, ...(data as readonly Buffer[]), END]);
}

const START = Buffer.from('{"data":');
const END = Buffer.from('}');

/** A placeholder for the items of an array. NUL occurs in neither the store nor a cursor. */
const PLACEHOLDER = '\0';
const PLACEHOLDER_ARRAY = JSON.stringify([PLACEHOLDER]);

/** Encodes an object around the parts of JSON items: `wrap` gets the array to put in their place. */
export function wrapItems(items: readonly Buffer[], wrap: (array: readonly string[]) => object): Buffer[] {
  const json = JSON.stringify(wrap([PLACEHOLDER]));
  const at = json.lastIndexOf(PLACEHOLDER_ARRAY);
  return [Buffer.from(`${json.slice(0, at)}[`), ...items, Buffer.from(`]${json.slice(at + PLACEHOLDER_ARRAY.length)}`)];
}
