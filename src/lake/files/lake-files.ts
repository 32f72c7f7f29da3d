import type { FactTableName } from '../../store/outbox/fact-tables.ts';

/**
 * The files of a lake, relative to its place: `<table>/day=<day>/<store>-<first entry>-<last entry>-<part>.parquet`. For each
 * store, `_stores/<store>.json` has the last entry that is sealed: files beyond it are of a process that was killed.
 */
const DIGITS = 15;
const NAME = /([^/]+)-(\d{15})-(\d{15})-(\d+)\.parquet$/;
const pad = (entry: number): string => String(entry).padStart(DIGITS, '0');

/** The place of a file. */
export interface FactFilePlace {
  readonly table: FactTableName;
  /** When its entries were recorded: `2026-01-31`, UTC. */
  readonly day: string;
  readonly store: string;
  readonly first: number;
  readonly last: number;
  readonly part: number;
}

/** Returns the path of a file of facts. */
export const factFilePath = ({ table, day, store, first, last, part }: FactFilePlace): string =>
  `${table}/day=${day}/${store}-${pad(first)}-${pad(last)}-${part}.parquet`;

/** Returns whose facts a file has, and which entries; undefined for other files. */
export function parseFactFile(path: string): Pick<FactFilePlace, 'store' | 'first' | 'last' | 'part'> | undefined {
  const [, store, first, last, part] = NAME.exec(path) ?? [];
  return store === undefined ? undefined : { store, first: Number(first), last: Number(last), part: Number(part) };
}
