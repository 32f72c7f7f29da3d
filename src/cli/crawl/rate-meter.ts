import { REMAINING_RATE_MS } from '../../analysis/crawls/throughput.ts';
import { SECOND } from '../../base/clock.ts';
import type { RequestRates } from '../../crawl/gates/time-remaining.ts';

/** A count at a time, milliseconds UTC. */
export interface Reading {
  readonly at: number;
  readonly requests: number;
}

/** Returns a function that takes the readings in chronological order and returns the rates, now of the last 30 s. */
export function createRateMeter(start: Reading): (reading: Reading) => RequestRates {
  const readings = [start];
  let best = 0;
  return (reading) => {
    readings.push(reading);
    while (readings[1]!.at <= reading.at - REMAINING_RATE_MS) readings.shift();
    const base = readings[0]!;
    const now = (reading.requests - base.requests) / Math.max(SECOND, reading.at - base.at);
    best = Math.max(best, now);
    return { now, best };
  };
}
