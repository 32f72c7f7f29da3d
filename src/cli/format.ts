import { DAY, MINUTE, SECOND } from '../clock.ts';

/** Numbers and times as people read them. */

export const count = (n: number): string => n.toLocaleString('en-US');

/** A share as `25%`; nothing where it is not known. */
export const percent = (share: number | null): string => (share === null ? '' : `${Math.round(100 * share)}%`);

/** `1 page`, `2 pages`. */
export const plural = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;

/** A length of time by its two largest units: `4 min 10 s`. */
export function span(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`;
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
