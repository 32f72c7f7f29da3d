import { readDrift } from '#analysis/quality/drift.ts';
import { readDroppedFields } from '#analysis/quality/dropped-fields.ts';
import { hasFieldStatistics, findMissingFields } from '#analysis/quality/missing-fields.ts';
import { groupRejects } from '#analysis/quality/rejected-items.ts';
import { findUnusualCursors } from '#analysis/quality/unreadable-fields.ts';
import { MINUTE, SECOND } from '#base/clock.ts';
import type { QualityData, RejectGroupData } from '#dashboard/server/api/quality.ts';
import type { ReadContext } from '#dashboard/server/reader/read.ts';
import { toShortLine } from '#dashboard/server/reader/short-line.ts';
import {
  describeCursorForm,
  describeCursor,
  describeMissingField,
  isBrokenCursor,
} from '#ops/doctor/describe-fields.ts';
import type { Db } from '#store/sqlite/database.ts';

/** The groups of rejects and the fields that are listed. */
const LISTED = 100;
/** The page is read again whenever the store changes. Grouping a million rejects takes seconds. */
const MAX_AGE_MS = 5 * SECOND;
const MAX_AGE_OF_MANY_MS = 2 * MINUTE;
const MANY_REJECTS = 50_000;

/** Reads rejects, fields that could not be read, and drift. */
export function readQuality({ db, now, remember }: ReadContext): QualityData {
  const newest = db.$client.prepare<[], number | null>('select max(id) from rejects').pluck().get() ?? 0;
  return remember('quality', newest > MANY_REJECTS ? MAX_AGE_OF_MANY_MS : MAX_AGE_MS, () => ({
    at: now,
    changes: findFieldChanges(db).map(toShortLine),
    hasPages: hasFieldStatistics(db),
    rejects: readRejects(db),
    dropped: readDropped(db),
    drift: readDriftData(db),
  }));
}

function readRejects(db: Db): QualityData['rejects'] {
  const groups = groupRejects(db);
  const sum = (name: 'items' | 'readable'): number => groups.reduce((total, group) => total + group[name], 0);
  return {
    items: sum('items'),
    readable: sum('readable'),
    groupCount: groups.length,
    groups: groups.slice(0, LISTED).map(({ items: n, ...group }) => toGroup({ ...group, n })),
  };
}

function readDropped(db: Db): QualityData['dropped'] {
  const groups = readDroppedFields(db);
  const toData = ({ values: n, ...group }: (typeof groups)[number]) => toGroup({ ...group, n });
  return { groups: groups.slice(0, LISTED).map(toData), groupCount: groups.length };
}

/** The names of fields are texts of the service, too. */
const toGroup = ({
  endpoint,
  field,
  reason,
  n,
  firstAt,
  lastAt,
  sample,
  crawlId,
}: RejectGroupData): RejectGroupData => ({
  endpoint,
  field: toShortLine(field),
  reason: toShortLine(reason),
  n,
  firstAt,
  lastAt,
  sample: toShortLine(sample),
  crawlId,
});

function readDriftData(db: Db): QualityData['drift'] {
  const fields = readDrift(db);
  return {
    fields: fields.slice(0, LISTED).map(({ field, sample, ...rest }) => ({
      ...rest,
      field: toShortLine(field),
      meaning: describeCursorForm(field) ?? null,
      sample: sample === null ? null : toShortLine(sample),
    })),
    fieldCount: fields.length,
  };
}

/** What `trawl doctor` calls wrong about the service's fields: those that it no longer sends, and cursors that end lists. */
export const findFieldChanges = (db: Db): string[] => [
  ...findMissingFields(db).map(describeMissingField),
  ...findUnusualCursors(db).filter(isBrokenCursor).map(describeCursor),
];
