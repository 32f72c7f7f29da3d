import type { FaultRow } from './definition/fault-row.ts';
import { contentRows } from './rows/content-faults.ts';
import { cursorRows } from './rows/cursor-faults.ts';
import { entryRows } from './rows/entry-faults.ts';
import { statusRows } from './rows/status-faults.ts';
import { tokenInfoRows } from './rows/token-info-faults.ts';
import { transportRows } from './rows/transport-faults.ts';

/**
 * All faults, in the order in which they are applied: content of the page, position in the list, response, transport.
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
