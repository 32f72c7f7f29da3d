import { TrawlError } from '../../errors.ts';
import type { Fact, FactTableName } from '../facts/fact-tables.ts';
import type { Engine } from '../views/dialect.ts';
import type { FactPlace } from '../views/views.ts';
import type { FactContent } from './fact-content.ts';

/** What a target has of a store. */
export interface ShippedStore {
  readonly store: string;
  /** The last entry that it has. */
  readonly entry: number;
  readonly sealedAt: string;
  /** The snapshots that shipping began with. What happened before is known only as far as their rows show it. */
  readonly snapshots: readonly { readonly entry: number; readonly takenAt: string }[];
  /** A digest of the entries up to the last one: another history of the store has another one. Earlier versions have none. */
  readonly digest?: string | undefined;
}

/** The columns that all facts begin with: the store, the entry, and the crawl (null in a snapshot). */
export type FactHead = readonly [store: string, entry: number, crawlId: number | null];

/** Facts of a range of entries of one day, which appear in the target together. Disposal abandons what is not sealed. */
export interface FactBatch extends AsyncDisposable {
  /** The number of facts. */
  readonly facts: number;
  /** Whether it is large enough to be sealed. */
  readonly isFull: boolean;
  /** Adds facts of one table. A table that gets none is there, too. */
  add(table: FactTableName, head: FactHead, facts: readonly Fact[]): Promise<void>;
  /** Makes the facts count, together with the record of the store. */
  seal(record: ShippedStore): Promise<void>;
}

/** A target, open for the facts of one store. */
export interface FactTarget extends AsyncDisposable {
  /** A batch is sealed at this age at the latest, in milliseconds. */
  readonly sealAgeMs: number;
  /** Returns what the target has of the store; undefined if it has nothing. */
  readShipped(): Promise<ShippedStore | undefined>;
  /** Opens a batch. @param first its first entry @param day when its entries were recorded: `2026-01-31`, UTC */
  openBatch(first: number, day: string): Promise<FactBatch>;
}

/** Where a target is, and how to be let in. */
export interface TargetAccess {
  /** As it is stored: without secrets. */
  readonly address: string;
  /** The variables that the clients of targets know, such as PGPASSWORD. Never printed, logged or stored. */
  readonly variables: Readonly<Record<string, string>>;
}

/** A kind of targets: what all commands need of it. */
export interface TargetKind {
  /** Creates the place of a target, unless it is there. @throws TrawlError if facts cannot be written there */
  prepare(access: TargetAccess): Promise<void>;
  /**
   * Opens a target for a store. What a killed process left unsealed is deleted.
   * @param scratch a folder beside the store, for files that are not in the target yet
   * @throws TrawlError
   */
  open(access: TargetAccess, store: string, scratch: string): Promise<FactTarget>;
  /** Returns what a target has of all its stores. @throws TrawlError */
  readStores(access: TargetAccess): Promise<readonly ShippedStore[]>;
  /** Opens the facts of a target, to read and to change them. */
  openContent(access: TargetAccess): Promise<FactContent>;
  /** Returns how one of its engines reads the facts; undefined if nothing was shipped there. */
  findFacts(access: TargetAccess, engine: Engine): Promise<FactPlace | undefined>;
}

/** A target does not answer, or the connection is lost: the same call may succeed later. Nothing of the batch counts. */
export class TargetUnavailableError extends TrawlError {
  override readonly name = 'TargetUnavailableError';
}
