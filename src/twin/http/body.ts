/** Bodies of answers. `data` is an object, or JSON that was written by the database. */

export type ResponseData = object | Buffer;

/** `{ "data": … }` as it is sent (spec, General rules, 4). */
export function encodeBody(data: ResponseData): Buffer {
  if (!Buffer.isBuffer(data)) return Buffer.from(JSON.stringify({ data }));
  return Buffer.concat([START, data, END]);
}

const START = Buffer.from('{"data":');
const END = Buffer.from('}');

/** Stands in an object for the items of its one array. The store holds no such character, and a cursor neither. */
const PLACEHOLDER = '\0';
const PLACEHOLDER_ARRAY = JSON.stringify([PLACEHOLDER]);

/** What an object says around its list, which is written already: `around` is given the array to put in its place. */
export function wrapItems(items: Buffer, wrap: (array: readonly string[]) => object): Buffer {
  const json = JSON.stringify(wrap([PLACEHOLDER]));
  const at = json.lastIndexOf(PLACEHOLDER_ARRAY);
  return Buffer.concat([
    Buffer.from(`${json.slice(0, at)}[`),
    items,
    Buffer.from(`]${json.slice(at + PLACEHOLDER_ARRAY.length)}`),
  ]);
}
