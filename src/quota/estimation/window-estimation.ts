import { computeMinWindowMs } from '../policy.ts';
import { type Period, splitIntoPeriods, type QuotaRecord, type SentRequest } from './quota-record.ts';

/**
 * The length of the quota's window, from recorded samples and requests. The specification says "typically a sliding window",
 * and not what `reset_at` means in one. So `reset_at` is a lower bound, and the length follows from the return of requests.
 *
 * In a sliding window a request counts for one window. In a fixed window all requests return together at its end. Requests
 * of other programs only raise the usage, so these bounds hold for any use of the key:
 *
 * - sliding: if fewer requests count than this store sent since a time, the request at that time has returned;
 * - fixed: the usage falls only at the end of a window, so two falls are at least a window apart.
 *
 * The other bounds are valid only if no other program uses the key: the store's own requests have to explain every sample
 * since a time without usage, over enough returns.
 */
export interface WindowEstimate {
  /** The kinds of window that fit the record, with bounds of the length. Never empty. */
  readonly ranges: readonly WindowRange[];
  /** The length if returns prove it, within the distance of samples. */
  readonly provenMs: number | undefined;
  /** Why it is not proven. */
  readonly reason: WindowReason | undefined;
}

export interface WindowRange {
  readonly kind: 'sliding' | 'fixed';
  readonly minMs: number;
  readonly maxMs: number | undefined;
}

/** No samples of the key; too few returns seen; other programs use the key; or the record contradicts itself. */
export type WindowReason = 'no_samples' | 'few_returns' | 'other_programs' | 'contradiction';

/** The returned requests, and the falls of the usage, that prove a length. */
const ENOUGH = { returned: 8, falls: 2 } as const;
/** A proven length is known within this share. */
const PRECISION = 0.1;
/** The newer half of a contradictory record is used if it has so many samples. */
const FEWEST_SAMPLES = 8;

/** @param minMs a lower bound from elsewhere. */
export function estimateWindow(record: QuotaRecord, minMs = 0): WindowEstimate {
  const periods = splitIntoPeriods(record);
  const evidence = new Evidence();
  for (const period of periods) evidence.add(period);
  const estimate = evidence.conclude(minMs);
  const { samples } = record;
  if (estimate.reason !== 'contradiction' || samples.length < 2 * FEWEST_SAMPLES) return estimate;
  // The service may have changed its window since.
  return estimateWindow({ ...record, samples: samples.slice(samples.length >> 1) }, minMs);
}

/** Bounds of one kind of window: `least` is evidence only where nobody else uses the key. */
interface Bounds {
  least: number;
  most: number;
}

class Evidence {
  readonly #sliding: Bounds = { least: 0, most: Infinity };
  readonly #fixed: Bounds = { least: 0, most: Infinity };
  #resetLeast = 0;
  #samples = 0;
  #returned = 0;
  #falls = 0;
  #interval = Infinity;
  #isFixedRefuted = false;
  #isShared = false;

  add({ samples, requests }: Period): void {
    const blur = blurOf(requests);
    const metered = requests.filter(({ isMetered }) => isMetered).map(({ at }) => at);
    const all = requests.map(({ at }) => at);
    /** When it was last known that nothing counted, while own requests explain all since. */
    let cleanAt: number | undefined;
    /** Since when the usage did not fall, and since when a fall would have shown. */
    let fallAt: number | undefined;
    let steadyFrom: number | undefined;
    for (const [i, sample] of samples.entries()) {
      const { at, limit, remaining } = sample;
      const used = Math.max(0, limit - remaining);
      this.#samples += 1;
      this.#resetLeast = Math.max(this.#resetLeast, computeMinWindowMs(sample));
      // What was sent just before the sample was perhaps not counted yet.
      const sent = countUntil(metered, at - blur);
      if (sent > used) this.#sliding.most = Math.min(this.#sliding.most, at + blur - metered[sent - used - 1]!);
      const maySent = countUntil(all, at + blur);

      const before = samples[i - 1];
      if (before) {
        const usedBefore = Math.max(0, limit - before.remaining);
        const between = sent - countUntil(metered, before.at + blur);
        const returned = usedBefore + Math.max(0, between) - used;
        if (returned > 0) {
          if (fallAt !== undefined) this.#fixed.most = Math.min(this.#fixed.most, at + blur - fallAt);
          fallAt = before.at;
          steadyFrom = undefined;
          if (cleanAt !== undefined) {
            this.#returned += returned;
            this.#falls += 1;
            this.#interval = Math.min(this.#interval, at - before.at + blur);
            if (used > maySent - countUntil(all, before.at - blur)) this.#isFixedRefuted = true;
          }
        }
      }
      if (used === 0) {
        cleanAt = at;
        steadyFrom = undefined;
      } else if (cleanAt !== undefined) {
        const explained = maySent - countUntil(all, cleanAt - blur);
        if (used > explained) {
          this.#isShared = true;
          cleanAt = undefined;
          steadyFrom = undefined;
        } else {
          const oldest = all[maySent - used]!;
          this.#sliding.least = Math.max(this.#sliding.least, at - oldest - blur);
          steadyFrom ??= at;
          this.#fixed.least = Math.max(this.#fixed.least, at - steadyFrom);
        }
      }
    }
  }

  conclude(minMs: number): WindowEstimate {
    const least = Math.max(minMs, this.#resetLeast);
    const fitting = this.#fitting();
    if (fitting.length > 0) {
      const shortest = Math.min(...fitting.map((range) => range.minMs));
      const longest = Math.max(...fitting.map(({ maxMs }) => maxMs ?? Infinity));
      const middle = (shortest + longest) / 2;
      const isProven = longest - shortest <= Math.min(PRECISION * middle, 2 * this.#interval);
      if (isProven) return { ranges: fitting, provenMs: Math.round(middle), reason: undefined };
    }
    const possible = listRanges([
      ['sliding', { ...this.#sliding, least }],
      ['fixed', { ...this.#fixed, least }],
    ]);
    const reason = this.#samples <= 1 ? 'no_samples' : this.#isShared ? 'other_programs' : 'few_returns';
    if (possible.length > 0) return { ranges: possible, provenMs: undefined, reason };
    const unknown = (['sliding', 'fixed'] as const).map((kind) => ({ kind, minMs: 0, maxMs: undefined }));
    return { ranges: unknown, provenMs: undefined, reason: 'contradiction' };
  }

  /** The kinds of window under which own requests explain everything. */
  #fitting(): WindowRange[] {
    if (this.#returned < ENOUGH.returned || this.#falls < ENOUGH.falls) return [];
    const fixed = this.#isFixedRefuted ? [] : [['fixed', this.#fixed] as const];
    return listRanges([['sliding', this.#sliding], ...fixed]);
  }
}

/** The kinds of window whose bounds do not contradict each other. */
const listRanges = (bounds: readonly (readonly [WindowRange['kind'], Bounds])[]): WindowRange[] =>
  bounds
    .filter(([, { least, most }]) => least <= most)
    .map(([kind, { least, most }]) => ({ kind, minMs: least, maxMs: most === Infinity ? undefined : most }));

/** The usual difference between the recorded time of a request and the time at which the service counted it. */
const blurOf = (requests: readonly SentRequest[]): number =>
  Math.max(1, (2 * requests.reduce((sum, { ms }) => sum + ms, 0)) / Math.max(1, requests.length));

/** How many of the sorted times are not after a time. */
function countUntil(times: readonly number[], until: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= until) low = middle + 1;
    else high = middle;
  }
  return low;
}
