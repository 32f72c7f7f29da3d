import { formatDuration } from '#cli/terminal/print.ts';

export const describeWaitTimeout = (waitMs: number, isForDisk = false): string =>
  `${isForDisk ? 'there was still too little space' : 'the service was still unavailable'} after ${formatDuration(waitMs)}; --wait <duration> waits longer`;
