import { type EndpointName, endpointTable } from '#service/contract/endpoints.ts';
import { isObject, type JsonObject, readPath } from '#service/contract/json-body.ts';

/** A success response that faults can change in place. */
export interface FaultPage {
  readonly endpoint: EndpointName;
  readonly data: JsonObject;
  /** The entries without cursors; empty if `data` is no list. */
  items: readonly unknown[];
  /** The cursor of the next page; null if there is none. */
  cursor: string | null;
  /** Replaces the page's cursor, beside the entries or among them, and adds instructions. */
  placeCursors(cursors: PlacedCursors): void;
  /** The tweets and users of the entries, or `data` itself. */
  readonly subjects: readonly JsonObject[];
}

/** Cursors of any form by their place. */
export interface PlacedCursors {
  readonly besideEntries?: unknown;
  readonly entries?: readonly JsonObject[];
  readonly instructions?: readonly JsonObject[];
}

const isCursor = (entry: unknown): boolean => isObject(entry) && String(entry['entryId']).startsWith('cursor-');

/** Wraps a body, which is changed in place; undefined if it has no data. */
export function openPage(endpoint: EndpointName, body: unknown): FaultPage | undefined {
  const data = isObject(body) ? body['data'] : undefined;
  if (!isObject(data)) return undefined;
  const { layout, cursor: documentedForm } = endpointTable[endpoint];
  const timeline = layout && readPath(data, layout.timeline);
  const groups = layout?.flat ? [timeline] : readPath(timeline, 'instructions');
  const list = Array.isArray(groups) ? groups.find((group) => Array.isArray(readPath(group, 'entries'))) : undefined;
  const group = list as (JsonObject & { entries: unknown[] }) | undefined;
  const owner = layout && layout.owner === layout.timeline.split('.')[0] ? readPath(data, layout.owner) : undefined;

  return {
    endpoint,
    data,
    get items() {
      return group?.entries.filter((entry) => !isCursor(entry)) ?? [];
    },
    set items(items) {
      if (group) group.entries = [...items, ...group.entries.filter(isCursor)];
    },
    get cursor() {
      const value = readPath(group?.['cursor'], 'value') ?? readPath(group?.entries.find(isCursor), 'content.value');
      return typeof value === 'string' ? value : null;
    },
    set cursor(value) {
      if (!group) return;
      const existing = group.entries.find(isCursor);
      group.entries = group.entries.filter((entry) => !isCursor(entry));
      delete group['cursor'];
      if (value === null) return;
      if (documentedForm === 'entry')
        group.entries.push(makeCursorEntry(value, readPath(existing, 'sortIndex') ?? '0'));
      else group['cursor'] = { value, cursorType: 'Bottom' };
    },
    placeCursors({ besideEntries, entries = [], instructions = [] }) {
      if (!group) return;
      if (besideEntries !== undefined || entries.length > 0) this.cursor = null;
      group.entries.push(...entries);
      if (besideEntries !== undefined) group['cursor'] = besideEntries;
      if (Array.isArray(groups)) groups.push(...instructions);
    },
    get subjects() {
      if (!layout) return [data];
      const shown = this.items.map((entry) => readPath(entry, `content.${layout.item}`));
      return [owner, ...shown].filter(isObject);
    },
  };
}

/** Returns a cursor entry; `content` replaces the documented content. */
export const makeCursorEntry = (value: unknown, sortIndex: unknown, content?: JsonObject): JsonObject => ({
  entryId: `cursor-bottom-${String(sortIndex)}`,
  sortIndex,
  content: content ?? {
    entryType: 'TimelineTimelineCursor',
    __typename: 'TimelineTimelineCursor',
    value,
    cursorType: 'Bottom',
  },
});
