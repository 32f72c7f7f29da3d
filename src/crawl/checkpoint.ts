import { type Guard, NEW_GUARD } from './ending.ts';

/** What a crawl carries from page to page beside its cursor; stored as JSON in `crawls.guard`. */
export interface Memory {
  readonly guard: Guard;
  /** The handle was looked up in this crawl: it need not be looked up again. */
  readonly verified: boolean;
  /** The oldest time covered so far; null before the first page, undefined once the list was found out of order. */
  readonly coveredTo?: number | null | undefined;
}

export const NEW_MEMORY: Memory = { guard: NEW_GUARD, verified: false, coveredTo: null };

export const readMemory = (text: string | null): Memory => (text === null ? NEW_MEMORY : (JSON.parse(text) as Memory));
export const writeMemory = (memory: Memory): string => JSON.stringify(memory);
