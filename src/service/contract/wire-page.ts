import { ContractError } from '#base/errors.ts';
import { describeType } from './accepted-resources.ts';
import { type EndpointName, endpointTable, type Layout } from './endpoints.ts';
import { type Hint, readEnvelope } from './envelope.ts';
import { isObject, type JsonObject, readPath } from './json-body.ts';
import {
  createCursorReader,
  decideCursor,
  type Drift,
  isCursorEntry,
  LIST_END,
  type PageCursor,
} from './read-cursor.ts';

export interface WireItem {
  readonly path: string;
  readonly value: unknown;
}

/** A parsed page: its owner, its items in the order served, and its cursor. */
export interface WirePage {
  readonly owner: WireItem;
  readonly items: readonly WireItem[];
  /** Items in an instruction of their own, such as a pinned tweet. */
  readonly pinned: readonly WireItem[];
  readonly cursor: PageCursor;
  /** Hints that the list goes on, outside of the places of a cursor. */
  readonly hints: readonly Hint[];
  /** Why the response is incomplete; undefined if nothing says so. */
  readonly incomplete: string | undefined;
  /** The service calls the account of the list unavailable. */
  readonly isUnavailable: boolean;
  readonly drift: readonly Drift[];
  /** List entries that are neither an item nor a cursor; `position` is the number of items before one. */
  readonly unexpectedEntries: readonly (WireItem & { readonly position: number })[];
}

function createContractError(endpoint: EndpointName, path: string, expected: string, value: unknown): ContractError {
  return new ContractError(`${endpoint}: ${path} should be ${expected}, is ${describeType(value)}`, {
    hint: 'The response does not match the interface specification. Is TRAWL_API_URL the address of that service?',
  });
}

/** Returns `data` of a response body (spec, General rules, 4). @throws ContractError if it is missing. */
export function readData(endpoint: EndpointName, body: unknown): JsonObject {
  if (!isObject(body)) throw createContractError(endpoint, 'the body', 'an object', body);
  if (!isObject(body['data'])) throw createContractError(endpoint, '/data', 'an object', body['data']);
  return body['data'];
}

/** The status of a response, and its headers as JSON. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: string;
}
const PLAIN_HEAD: ResponseHead = { status: 200, headers: '{}' };

/**
 * Parses a page by the layout of its endpoint. Checks only that the list is a list; items are checked by the
 * normaliser, cursors by read-cursor.ts. @throws ContractError
 */
export function readPage(endpoint: EndpointName, body: unknown, head = PLAIN_HEAD): WirePage {
  const page = readList(endpoint, body);
  const { drift, hints, incomplete } = readEnvelope(endpoint, body as JsonObject, head);
  const { layout } = endpointTable[endpoint];
  // A search has no owner, and a tweet is an item.
  const hasNoOwner = layout && !layout.optional && endpoint !== 'search' && page.owner.value == null;
  return {
    ...page,
    hints,
    incomplete: incomplete ?? (hasNoOwner ? 'no owner' : undefined),
    isUnavailable: isUnavailable(page.owner.value),
    drift: [...page.drift, ...drift],
  };
}

/** Whether an account is shown as `UserUnavailable`, by its type or that of its `result`. */
const isUnavailable = (owner: unknown): boolean =>
  isObject(owner) &&
  (['__typename', 'type', 'typename'].some((key) => owner[key] === 'UserUnavailable') ||
    isUnavailable(owner['result']));

function readList(endpoint: EndpointName, body: unknown): Omit<WirePage, 'hints' | 'incomplete' | 'isUnavailable'> {
  const data = readData(endpoint, body);
  const { layout, cursor: documented } = endpointTable[endpoint];
  if (!layout) return { owner: { path: '/data', value: data }, ...NO_LIST };

  const [ownerPath = '', listPath = ''] = [layout.owner, layout.timeline].map(
    (path) => `/data/${path.replaceAll('.', '/')}`,
  );
  const owner = { path: ownerPath, value: readPath(data, layout.owner) };
  const timeline = readPath(data, layout.timeline) ?? (isEmptyList(data, owner.value, layout) ? {} : undefined);
  if (layout.optional && !hasEntries(timeline)) {
    // The list is unreadable, but its owner can still be shown.
    const unexpected = { path: listPath, value: timeline, position: 0 };
    return { owner, ...NO_LIST, unexpectedEntries: [unexpected] };
  }
  if (!isObject(timeline)) throw createContractError(endpoint, listPath, 'an object', timeline);
  const groups = layout.flat ? [timeline] : (timeline['instructions'] ?? []);
  if (!Array.isArray(groups)) throw createContractError(endpoint, `${listPath}/instructions`, 'an array', groups);

  const cursors = createCursorReader(documented);
  const found: FoundList = { items: [], pinned: [], unexpectedEntries: [], drift: [], cursors, listCount: 0 };
  for (const { path, value } of holdersOf(data, layout)) cursors.addField(`${path}/cursor`, value['cursor'], false);
  let failure: ContractError | undefined;
  for (const [g, group] of groups.entries()) {
    const base = `${listPath}${layout.flat ? '' : `/instructions/${g}`}`;
    const fault = readGroup(base, group, layout.item, found);
    if (fault && fault.value !== null)
      failure ??= createContractError(endpoint, fault.path, fault.expected, fault.value);
  }
  const { items, pinned, unexpectedEntries, drift, listCount } = found;
  // An unreadable list is an error only if the page has no readable one. A null one is only rejected.
  if (failure && listCount === 0) throw failure;
  const { cursor, drift: cursorDrift } = decideCursor(cursors.slots);
  return { owner, items, pinned, unexpectedEntries, cursor, drift: [...drift, ...cursorDrift] };
}

/** The parts of a list that have been found so far. */
interface FoundList {
  readonly items: WireItem[];
  readonly pinned: WireItem[];
  readonly unexpectedEntries: WirePage['unexpectedEntries'][number][];
  readonly drift: Drift[];
  readonly cursors: ReturnType<typeof createCursorReader>;
  /** The number of arrays of entries. */
  listCount: number;
}

/** Reads an instruction. Returns its unreadable part; undefined without one. @param key the key of the item in an entry */
function readGroup(
  base: string,
  group: unknown,
  key: string,
  found: FoundList,
): (WireItem & { readonly expected: string }) | undefined {
  const reject = (path: string, value: unknown, expected: string) => {
    found.unexpectedEntries.push({ path, value, position: found.items.length });
    return { path, value, expected };
  };
  if (!isObject(group)) return reject(base, group, 'an object');
  found.cursors.addField(`${base}/cursor`, group['cursor'], true);
  const entries = group['entries'] ?? undefined;
  if (group['entry'] != null) readSingleEntry(`${base}/entry`, group['entry'], key, found);
  if (entries === undefined) return undefined;
  if (!Array.isArray(entries)) return reject(`${base}/entries`, entries, 'an array');
  found.listCount += 1;
  for (const [e, entry] of entries.entries()) {
    const path = `${base}/entries/${e}`;
    const content = isObject(entry) ? entry['content'] : undefined;
    const item = isObject(content) ? content[key] : undefined;
    const cursor = item === undefined ? cursorIn(entry) : undefined;
    if (item !== undefined) found.items.push({ path: `${path}/content/${key}`, value: item });
    else if (cursor) found.cursors.addEntry(path, cursor.entryId, cursor.content, true);
    else found.unexpectedEntries.push({ path, value: entry, position: found.items.length });
  }
  return undefined;
}

/** Reads an instruction with a single entry: a pinned item, or a cursor that replaces another. */
function readSingleEntry(path: string, entry: unknown, key: string, { pinned, drift, cursors }: FoundList): void {
  const item = readPath(entry, `content.${key}`);
  const cursorEntry = cursorIn(entry);
  if (item !== undefined) {
    pinned.push({ path: `${path}/content/${key}`, value: item });
    drift.push({ field: PAGE_DRIFT.pin, sample: { at: path, is: entry } });
  } else if (cursorEntry) cursors.addEntry(path, cursorEntry.entryId, cursorEntry.content, false);
  else drift.push({ field: PAGE_DRIFT.instruction, sample: { at: path, is: entry } });
}

/** Whether a list without a readable timeline is empty: beside its owner, one that is absent or null is. */
const isEmptyList = (data: JsonObject, owner: unknown, { optional, timeline }: Layout): boolean =>
  optional === true || (isObject(owner) && Object.keys(owner).length > 0 && isAbsent(data, timeline));

/** Returns whether a dotted path of keys leads to nothing or to null, rather than to a value of another type. */
function isAbsent(data: JsonObject, path: string): boolean {
  const [key = '', ...rest] = path.split('.');
  const value = data[key];
  if (value == null || rest.length === 0) return value == null;
  return isObject(value) && isAbsent(value, rest.join('.'));
}

const PAGE_DRIFT = {
  pin: 'instruction (an item outside of the list)',
  instruction: 'instruction (of an unknown kind)',
} as const;

const NO_LIST = { items: [], pinned: [], cursor: LIST_END, drift: [], unexpectedEntries: [] } as const;

/** Returns whether an optional list is an array or absent. */
const hasEntries = (timeline: unknown): boolean =>
  isObject(timeline) && (timeline['entries'] == null || Array.isArray(timeline['entries']));

/**
 * Returns the objects around the list, outermost first. A cursor can occur in them, although none is documented there.
 */
function holdersOf(data: JsonObject, { timeline, flat }: Layout): { path: string; value: JsonObject }[] {
  const found: { path: string; value: JsonObject }[] = [{ path: '/data', value: data }];
  for (const key of timeline.split('.')) {
    const { path, value } = found.at(-1)!;
    const inner = value[key];
    if (isObject(inner)) found.push({ path: `${path}/${key}`, value: inner });
    else break;
  }
  // The innermost object of a flat list holds its entries, and its cursor is read with them.
  return flat ? found.slice(0, timeline.split('.').length) : found;
}

/** Returns the id and content of a cursor entry; undefined for any other entry. */
function cursorIn(entry: unknown): { entryId: string; content: unknown } | undefined {
  if (!isObject(entry)) return undefined;
  const { entryId, content } = entry;
  const id = typeof entryId === 'string' ? entryId : '';
  return isCursorEntry(id, content) ? { entryId: id, content } : undefined;
}
