import { findMissingFields } from '../../../../analysis/quality/missing-fields.ts';
import { findUnusualCursors } from '../../../../analysis/quality/unreadable-fields.ts';
import { describeCursor, describeMissingField, isBrokenCursor } from '../../../../ops/doctor/describe-fields.ts';
import type { Db } from '../../../../store/sqlite/database.ts';

/** What `trawl doctor` calls wrong about the service's fields: those that it no longer sends, and cursors that end lists. */
export const findFieldChanges = (db: Db): string[] => [
  ...findMissingFields(db).map(describeMissingField),
  ...findUnusualCursors(db).filter(isBrokenCursor).map(describeCursor),
];
