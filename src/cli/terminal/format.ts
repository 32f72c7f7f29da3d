import { DAY, MINUTE, SECOND } from '../../clock.ts';
import { formatCount, pluralize } from '../../text.ts';

export { formatCount, pluralize };

/** Formats a share as `25%`, or `<1%`; empty if it is unknown. */
export const formatPercent = (share: number | null): string =>
  share === null ? '' : share > 0 && share < 0.005 ? '<1%' : `${Math.round(100 * share)}%`;

/** Formats milliseconds by their two largest units: `4 min 10 s`. */
export function formatDuration(ms: number): string {
  if (Math.round(ms) < SECOND) return `${Math.max(0, Math.round(ms))} ms`;
  const units = [
    ['d', DAY],
    ['h', 60 * MINUTE],
    ['min', MINUTE],
    ['s', SECOND],
  ] as const;
  const parts: string[] = [];
  let rest = Math.round(ms / SECOND) * SECOND;
  for (const [unit, size] of units) {
    const n = Math.floor(rest / size);
    rest -= n * size;
    if (n > 0 && parts.length < 2) parts.push(`${n} ${unit}`);
  }
  return parts.join(' ');
}

/** Formats bytes by their largest unit: `1.2 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let n = bytes;
  let unit = 0;
  for (; Math.round(n) >= 1000 && unit < units.length - 1; unit++) n /= 1000;
  return `${unit === 0 || n >= 100 ? Math.round(n) : n.toFixed(1)} ${units[unit]}`;
}
