import { describe, expect, it } from 'vitest';
import { MINUTE, SECOND } from '#base/clock.ts';
import { createDiskGuard, type DiskEvent } from '#crawl/gates/disk-guard.ts';

/** A guard of a disk whose state the test sets, on a clock of its own. */
function guarded() {
  const disk = { free: 1e9, minFree: 5e8, isFull: false };
  const events: DiskEvent[] = [];
  let now = 0;
  let reads = 0;
  let trials = 0;
  const guard = createDiskGuard({
    read() {
      reads += 1;
      return disk;
    },
    canWrite() {
      trials += 1;
      return !disk.isFull;
    },
    clock: { now: () => now },
    onEvent: (event) => events.push(event),
  });
  return {
    guard,
    disk,
    events,
    pass: (ms: number) => void (now += ms),
    now: () => now,
    reads: () => reads,
    trials: () => trials,
  };
}

const full = new Error('database or disk is full');

describe('the disk guard', () => {
  it('reads the free space once a second, and reports each change once', () => {
    const { guard, disk, events, pass, reads } = guarded();
    for (let i = 0; i < 10; i++) expect(guard.admitCrawl()).toBeUndefined();
    expect(reads()).toBe(1);
    Object.assign(disk, { free: 4e8 });
    pass(SECOND);
    expect(guard.checkSpace()).toMatchObject({ until: 6 * SECOND, error: '400 MB free, 500 MB are kept free' });
    expect(guard.admitCrawl()).toBeDefined();
    Object.assign(disk, { free: 5e8 });
    pass(30 * SECOND);
    expect(guard.admitCrawl()).toBeUndefined();
    expect(events).toEqual([
      { event: 'low', free: 4e8, minFree: 5e8 },
      { event: 'enough', free: 5e8, lasted: 30 * SECOND },
    ]);
  });

  it('tries a write with growing back-off while writes fail', () => {
    const { guard, disk, events, pass, trials, now } = guarded();
    Object.assign(disk, { isFull: true });
    // Those under way fail together.
    const waits = [1, 2, 3].map(() => guard.reportFailure(full).until);
    expect(waits).toEqual([5 * SECOND, 5 * SECOND, 5 * SECOND]);
    let until = 0;
    for (let n = 0; n < 20; n++) {
      until = guard.admitCrawl()!.until;
      pass(until - now());
    }
    expect(trials()).toBeLessThanOrEqual(20);
    expect(until - now()).toBe(0);
    pass(5 * MINUTE);
    Object.assign(disk, { isFull: false });
    expect(guard.admitCrawl()).toBeUndefined();
    guard.reportSuccess();
    expect(guard.shortage).toBeUndefined();
    expect(events.map(({ event }) => event)).toEqual(['full', 'enough']);
  });

  it('lengthens the back-off if a crawl fails after the write that was tried', () => {
    const { guard, pass } = guarded();
    guard.reportFailure(full);
    // It was sent before the failure.
    guard.reportSuccess();
    expect(guard.shortage).toMatchObject({ error: full.message });
    pass(5 * SECOND);
    expect(guard.admitCrawl()).toBeUndefined();
    guard.reportFailure(full);
    pass(5 * SECOND);
    expect(guard.admitCrawl()).toBeDefined();
    pass(5 * SECOND);
    expect(guard.admitCrawl()).toBeUndefined();
  });
});
