import type { OutageState } from '#crawl/gates/outage/breaker-policy.ts';
import type { QuotaStatus } from '#service/quota/quota-status.ts';

/** The state of the queue; undefined if none is running, or a problem if it cannot be read. */
export type QueueReading = QueueSnapshot | { readonly problem: string } | undefined;

/** A worker on another host than the database. */
export interface JoinedWorker {
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly keyLabel: string;
  /** Why it sends no requests of some priority: its quota. */
  readonly hold: string | undefined;
  /** By the clock of the host with the database, milliseconds UTC. */
  readonly seenAt: number;
}

/** The state of a queue at a moment. */
export interface QueueSnapshot {
  readonly description: string;
  /** Jobs by state: waiting, active, delayed. */
  readonly counts: Readonly<Record<string, number>>;
  readonly workers: number | undefined;
  /** Those of them on hosts without the database; none if absent. */
  readonly joined?: readonly JoinedWorker[] | undefined;
  /** The ledger of the configured key; undefined without a key. */
  readonly quota: QuotaStatus | undefined;
  /** The outage of the configured service; undefined without a service. */
  readonly outage: OutageState | undefined;
}
