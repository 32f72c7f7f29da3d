import { ContractError } from '../errors.ts';
import { createCursorReader, isCursorEntry, type PageCursor } from './cursors.ts';
import { type EndpointName, endpointTable, type Layout } from './endpoints.ts';
import { isObject, type JsonObject, readPath } from './json.ts';
import { describeType } from './observed.ts';

/** One thing of a page, unchecked, with the path it was found at. */
export interface WireItem {
  readonly path: string;
  readonly value: unknown;
}

/** An answer taken apart: whose list it is, the items in the order served, and the cursor to the next page. */
export interface WirePage {
  readonly owner: WireItem;
  readonly items: readonly WireItem[];
  /** Items that stand outside of the list, as a pinned tweet in an instruction of its own does. */
  readonly pinned: readonly WireItem[];
  readonly cursor: PageCursor;
  /** What is unusual about the page. */
  readonly drift: readonly PageDrift[];
  /** Entries of the list that are neither an item nor a cursor. */
  readonly unexpectedEntries: readonly UnexpectedEntry[];
}

/** An entry that is not an item, and how many items came before it. */
export interface UnexpectedEntry extends WireItem {
  readonly position: number;
}

/** Something unusual about a page, under the name by which it is counted. */
export interface PageDrift {
  readonly field: string;
  /** What was seen, and where. */
  readonly sample: unknown;
}

function createContractError(endpoint: EndpointName, path: string, expected: string, value: unknown): ContractError {
  return new ContractError(`${endpoint}: ${path} should be ${expected}, is ${describeType(value)}`, {
    hint: 'The answer is not in the form of the interface specification. Is TRAWL_API_URL the address of that service?',
  });
}

/** `data` of a response body (spec, General rules, 4). Throws ContractError when there is none. */
export function readData(endpoint: EndpointName, body: unknown): JsonObject {
  if (!isObject(body)) throw createContractError(endpoint, 'the body', 'an object', body);
  if (!isObject(body['data'])) throw createContractError(endpoint, '/data', 'an object', body['data']);
  return body['data'];
}

/**
 * Takes a page apart by its endpoint's layout. Only what is needed to go on is checked here: that the list is a list.
 * Cursors are read wherever they stand (cursors.ts). @throws ContractError
 */
export function readPage(endpoint: EndpointName, body: unknown): WirePage {
  const data = readData(endpoint, body);
  const { layout, cursor: documented } = endpointTable[endpoint];
  if (!layout) return { owner: { path: '/data', value: data }, ...NO_LIST };

  const pointer = (path: string) => `/data/${path.replaceAll('.', '/')}`;
  const timeline = readPath(data, layout.timeline) ?? (layout.optional ? {} : undefined);
  const owner = { path: pointer(layout.owner), value: readPath(data, layout.owner) };
  if (layout.optional && !hasEntries(timeline)) {
    // What holds the list is no list: its owner is shown all the same.
    const unexpected = { path: pointer(layout.timeline), value: timeline, position: 0 };
    return { owner, ...NO_LIST, unexpectedEntries: [unexpected] };
  }
  if (!isObject(timeline)) throw createContractError(endpoint, pointer(layout.timeline), 'an object', timeline);
  const groups = layout.flat ? [timeline] : timeline['instructions'];
  if (!Array.isArray(groups))
    throw createContractError(endpoint, `${pointer(layout.timeline)}/instructions`, 'an array', groups);

  const items: WireItem[] = [];
  const pinned: WireItem[] = [];
  const unexpectedEntries: UnexpectedEntry[] = [];
  const drift: PageDrift[] = [];
  let listCount = 0;
  let failure: ContractError | undefined;
  const cursors = createCursorReader(documented);
  for (const { path, value } of holdersOf(data, layout)) cursors.addField(`${path}/cursor`, value['cursor'], false);
  for (const [g, group] of groups.entries()) {
    const base = `${pointer(layout.timeline)}${layout.flat ? '' : `/instructions/${g}`}`;
    if (!isObject(group)) {
      rejectGroup(base, group, 'an object');
      continue;
    }
    cursors.addField(`${base}/cursor`, group['cursor'], true);
    const entries = layout.optional ? (group['entries'] ?? []) : group['entries'];
    if (group['entry'] !== undefined) readEntry(`${base}/entry`, group['entry']);
    if (entries === undefined && !layout.flat) {
      if (isUnknown(group)) drift.push({ field: PAGE_DRIFT.instruction, sample: { at: base, is: group } });
      continue;
    }
    if (!Array.isArray(entries)) {
      rejectGroup(`${base}/entries`, entries, 'an array');
      continue;
    }
    listCount += 1;
    for (const [e, entry] of entries.entries()) {
      const path = `${base}/entries/${e}`;
      const content = isObject(entry) ? entry['content'] : undefined;
      const item = isObject(content) ? content[layout.item] : undefined;
      const cursor = item === undefined ? cursorIn(entry) : undefined;
      if (item !== undefined) items.push({ path: `${path}/content/${layout.item}`, value: item });
      else if (cursor) cursors.addEntry(path, cursor.entryId, cursor.content, true);
      else unexpectedEntries.push({ path, value: entry, position: items.length });
    }
  }
  // Beside a list that can be read, one that cannot is rejected.
  if (failure && listCount === 0) throw failure;
  const { cursor, drift: cursorDrift } = cursors.decide();
  return { owner, items, pinned, unexpectedEntries, cursor, drift: [...drift, ...cursorDrift] };

  function rejectGroup(path: string, value: unknown, expected: string): void {
    failure ??= createContractError(endpoint, path, expected, value);
    // Null is as good as absent.
    if (value !== null || expected === 'an object') unexpectedEntries.push({ path, value, position: items.length });
  }

  /** An entry in an instruction of its own: a pin, or a cursor that replaces another. */
  function readEntry(path: string, entry: unknown): void {
    const item = readPath(entry, `content.${layout!.item}`);
    const cursorEntry = cursorIn(entry);
    if (item !== undefined) {
      pinned.push({ path: `${path}/content/${layout!.item}`, value: item });
      drift.push({ field: PAGE_DRIFT.pin, sample: { at: path, is: entry } });
    } else if (cursorEntry) cursors.addEntry(path, cursorEntry.entryId, cursorEntry.content, false);
    else drift.push({ field: PAGE_DRIFT.instruction, sample: { at: path, is: entry } });
  }
}

/** Whether an instruction holds more than its type, and what else is no list. */
const isUnknown = ({ entry, cursor, ...rest }: JsonObject): boolean =>
  entry === undefined && cursor === undefined && Object.values(rest).some((part) => typeof part === 'object');

/** What is unusual about a page beside its cursor. */
const PAGE_DRIFT = {
  pin: 'instruction (an item outside of the list)',
  instruction: 'instruction (of an unknown kind)',
} as const;

const NO_LIST = { items: [], pinned: [], cursor: { type: 'end' }, drift: [], unexpectedEntries: [] } as const;

/** Whether an optional list is one, or is missing. */
const hasEntries = (timeline: unknown): boolean =>
  isObject(timeline) && (timeline['entries'] == null || Array.isArray(timeline['entries']));

/** The objects around the list, from `data` inwards: a cursor may stand in them, though none is documented there. */
function holdersOf(data: JsonObject, { timeline, flat }: Layout): { path: string; value: JsonObject }[] {
  const found: { path: string; value: JsonObject }[] = [{ path: '/data', value: data }];
  for (const key of timeline.split('.')) {
    const { path, value } = found.at(-1)!;
    const inner = value[key];
    if (isObject(inner)) found.push({ path: `${path}/${key}`, value: inner });
    else break;
  }
  // The innermost one of a flat list holds its entries: a cursor there is beside them.
  return flat ? found.slice(0, timeline.split('.').length) : found;
}

/** An entry that is a cursor: its id, and its content. */
function cursorIn(entry: unknown): { entryId: string; content: unknown } | undefined {
  if (!isObject(entry)) return undefined;
  const { entryId, content } = entry;
  const id = typeof entryId === 'string' ? entryId : '';
  return isCursorEntry(id, content) ? { entryId: id, content } : undefined;
}

/** The cursor of the next page; null where there is none, or none that can be read. */
export const readNextCursor = (cursor: PageCursor): string | null => (cursor.type === 'next' ? cursor.value : null);
