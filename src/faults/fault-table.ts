import type { FaultRow } from './fault-row.ts';
import { contentRows } from './rows/content.ts';
import { cursorRows } from './rows/cursors.ts';
import { entryRows } from './rows/entries.ts';
import { statusRows } from './rows/statuses.ts';
import { tokenInfoRows } from './rows/token-info.ts';
import { transportRows } from './rows/transport.ts';

/**
 * All faults, in the order in which they are applied when several strike at once: what is on the page, then the page's
 * place in the list, then what else is sent in its place, then how it comes.
 */
const rows = {
  ...entryRows,
  ...cursorRows,
  ...tokenInfoRows,
  ...contentRows,
  ...statusRows,
  ...transportRows,
};

export type FaultName = keyof typeof rows;

export const faultTable: Readonly<Record<FaultName, FaultRow>> = rows;

export const FAULT_NAMES = Object.keys(rows) as FaultName[];
