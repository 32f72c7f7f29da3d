import { MINUTE } from '../../clock.ts';
import type { QuotaSample } from '../policy.ts';

/** A request on record. */
export interface SentRequest {
  readonly at: number;
  readonly ms: number;
  /** Whether the quota certainly counted it. */
  readonly isMetered: boolean;
}

/** The record of the quota of one key, each list in the order of time. */
export interface QuotaRecord {
  readonly samples: readonly QuotaSample[];
  /** Of all keys: the record of requests has no key. */
  readonly requests: readonly SentRequest[];
  /** When samples of other or unknown keys were taken. */
  readonly otherSamples: readonly number[];
}

/** A stretch of the record in which every recorded request was sent with the key. */
export interface Period {
  readonly samples: readonly QuotaSample[];
  readonly requests: readonly SentRequest[];
}

/** A process that sends requests polls token-info twice in this time. */
const ATTRIBUTION = MINUTE;

/**
 * The periods of the record with the newest limit. A period ends near a sample of another key, and at requests that no
 * sample of this key attributes to it.
 */
export function splitIntoPeriods({ samples, requests, otherSamples }: QuotaRecord): Period[] {
  const limit = samples.at(-1)?.limit;
  const periods: { samples: QuotaSample[]; requests: SentRequest[] }[] = [];
  let other = 0;
  let next = 0;
  let last: QuotaSample | undefined;
  for (const sample of samples) {
    while (other < otherSamples.length && otherSamples[other]! < (last ?? sample).at - ATTRIBUTION) other += 1;
    const isShared = (otherSamples[other] ?? Infinity) <= sample.at + ATTRIBUTION;
    const first = next;
    while (next < requests.length && requests[next]!.at < sample.at) next += 1;
    const between = requests.slice(first, next);
    const isOwn = last !== undefined && between.every(({ at }) => at <= last!.at + ATTRIBUTION);
    if (isShared || sample.limit !== limit) {
      last = undefined;
      continue;
    }
    const period = periods.at(-1);
    if (period && last !== undefined && isOwn) {
      period.samples.push(sample);
      period.requests.push(...between);
    } else periods.push({ samples: [sample], requests: [] });
    last = sample;
  }
  return periods;
}

/** The times of the latest requests that are known to be of this key, until its last sample. */
export const listRecentRequestTimes = (record: QuotaRecord): number[] =>
  splitIntoPeriods(record)
    .at(-1)
    ?.requests.map(({ at }) => at) ?? [];
