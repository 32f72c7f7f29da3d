import { setFlagsFromString } from 'node:v8';

/**
 * Lets the heaps of this process grow by half of their live data between full garbage collections, where V8 allows up to
 * four times. A worker keeps little and promotes much: its peak memory is 0.77, for 1.02 of the CPU (decision 44).
 */
export const limitHeapGrowth = (): void => setFlagsFromString('--heap-growing-percent=50');
