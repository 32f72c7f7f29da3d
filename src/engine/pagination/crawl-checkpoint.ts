import type { Passport } from './cursor-origin.ts';
import { type Guard, NEW_GUARD } from './end-of-list.ts';
import type { Walk } from './ordered-scan.ts';

/** What a crawl carries from page to page beside its cursor; stored as JSON in `crawls.guard`. */
export interface Memory {
  readonly guard: Guard;
  /** The handle was looked up in this crawl: it need not be looked up again. */
  readonly verified: boolean;
  /** Nobody has the handle: the crawl follows the account that had it, which may not exist any more. */
  readonly followed?: boolean | undefined;
  /** Of lists in order of time: what was seen of it without a gap. Absent in checkpoints of older versions. */
  readonly walk?: Walk | undefined;
  /** What the cursor was issued for; null where there is none. Absent in checkpoints of older versions. */
  readonly passport?: Passport | null | undefined;
  /** The first ids of the list, by which its first page is known when it comes again. */
  readonly firstIds?: readonly string[] | undefined;
  /** The cursor leads to where another crawl stopped. */
  readonly jumped?: boolean | undefined;
  /** The time of the bound that the walk took over there: what is above it, this crawl did not read. */
  readonly tookOver?: number | undefined;
  /** The digest of the list's pages so far, of kinds whose answers may come from a cache. */
  readonly listDigest?: string | undefined;
  /** It leapt over items that another crawl set aside, or joined them: it cannot be complete any more. */
  readonly lacks?: boolean | undefined;
  /** Cursors that were refused, as digests, newest last. */
  readonly refused?: readonly string[] | undefined;
  /** How many of them a resumed crawl need not count any more. */
  readonly forgiven?: number | undefined;
}

export const NEW_MEMORY: Memory = { guard: NEW_GUARD, verified: false };

export const readMemory = (text: string | null): Memory => (text === null ? NEW_MEMORY : (JSON.parse(text) as Memory));
export const writeMemory = (memory: Memory): string => JSON.stringify(memory);

/** The same crawl from its first page on, with what it has learnt of the service. */
export const fromTheTop = ({ verified, refused, forgiven }: Memory, more: Partial<Memory> = {}): Memory => ({
  ...NEW_MEMORY,
  verified,
  refused,
  forgiven,
  ...more,
});
