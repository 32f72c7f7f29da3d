import { ContractError } from '../errors.ts';
import { type EndpointName, endpointTable } from './endpoints.ts';
import { kindOf } from './observed.ts';

/** One thing of a page, unchecked, with the path it was found at. */
export interface WireItem {
  readonly path: string;
  readonly value: unknown;
}

/** An answer taken apart: whose list it is, the items in the order served, and the cursor to the next page. */
export interface WirePage {
  readonly owner: WireItem;
  readonly items: readonly WireItem[];
  /** The opaque cursor; null when the service gave none, which is the end of the list (law 4). */
  readonly nextCursor: string | null;
  /** Entries that are neither an item nor a cursor. */
  readonly strays: readonly Stray[];
}

/** An entry that is not an item, and how many items came before it. */
export interface Stray extends WireItem {
  readonly place: number;
}

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function broken(endpoint: EndpointName, path: string, expected: string, value: unknown): ContractError {
  return new ContractError(`${endpoint}: ${path} should be ${expected}, is ${kindOf(value)}`, {
    hint: 'The answer is not in the form of the interface specification. Is TRAWL_API_URL the address of that service?',
  });
}

/** `data` of a response body (spec, General rules, 4). Throws ContractError when there is none. */
export function readData(endpoint: EndpointName, body: unknown): Json {
  if (!isObject(body)) throw broken(endpoint, 'the body', 'an object', body);
  if (!isObject(body['data'])) throw broken(endpoint, '/data', 'an object', body['data']);
  return body['data'];
}

/** Follows a dotted path; what is not there is undefined. */
function at(data: Json, path: string): unknown {
  let value: unknown = data;
  for (const key of path.split('.')) value = isObject(value) ? value[key] : undefined;
  return value;
}

/**
 * Takes a page apart by its endpoint's layout. Only what is needed to go on is checked here: that the list is a list.
 * A cursor is accepted in either of the spec's two forms, on any endpoint (what the spec leaves open is followed).
 */
export function readPage(endpoint: EndpointName, body: unknown): WirePage {
  const data = readData(endpoint, body);
  const { layout } = endpointTable[endpoint];
  if (!layout) return { owner: { path: '/data', value: data }, items: [], nextCursor: null, strays: [] };

  const pointer = (path: string) => `/data/${path.replaceAll('.', '/')}`;
  const timeline = at(data, layout.timeline) ?? (layout.optional ? {} : undefined);
  if (!isObject(timeline)) throw broken(endpoint, pointer(layout.timeline), 'an object', timeline);
  const groups = layout.flat ? [timeline] : timeline['instructions'];
  if (!Array.isArray(groups)) throw broken(endpoint, `${pointer(layout.timeline)}/instructions`, 'an array', groups);

  const items: WireItem[] = [];
  const strays: Stray[] = [];
  let nextCursor: string | null = null;
  for (const [g, group] of groups.entries()) {
    const base = `${pointer(layout.timeline)}${layout.flat ? '' : `/instructions/${g}`}`;
    if (!isObject(group)) throw broken(endpoint, base, 'an object', group);
    if (isBottomCursor(group['cursor'])) nextCursor = group['cursor'].value;
    const entries = layout.optional ? (group['entries'] ?? []) : group['entries'];
    if (entries === undefined && !layout.flat) continue; // an instruction of another kind, such as a pin
    if (!Array.isArray(entries)) throw broken(endpoint, `${base}/entries`, 'an array', entries);
    for (const [e, entry] of entries.entries()) {
      const path = `${base}/entries/${e}`;
      const content = isObject(entry) ? entry['content'] : undefined;
      const item = isObject(content) ? content[layout.item] : undefined;
      const entryId = isObject(entry) && typeof entry['entryId'] === 'string' ? entry['entryId'] : '';
      if (item !== undefined) items.push({ path: `${path}/content/${layout.item}`, value: item });
      else if (entryId.startsWith('cursor-')) {
        if (entryId.startsWith('cursor-bottom-') && isBottomCursor(content)) nextCursor = content.value;
      } else strays.push({ path, value: entry, place: items.length });
    }
  }
  return { owner: { path: pointer(layout.owner), value: at(data, layout.owner) }, items, nextCursor, strays };
}

/** An empty or missing value is no cursor: some services end their lists so. */
function isBottomCursor(value: unknown): value is { value: string } {
  return isObject(value) && typeof value['value'] === 'string' && value['value'] !== '';
}
