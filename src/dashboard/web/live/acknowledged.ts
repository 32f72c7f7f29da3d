import { computed, effect, signal } from '@preact/signals';
import type { AttentionItem } from '../../server/api/overview.ts';
import { readStored, storeValue } from '../app/browser-storage.ts';
import { overview } from './live-updates.ts';

/** The items that somebody has acknowledged in this browser: the dashboard itself writes nothing. */
const STORAGE_KEY = 'trawl-acknowledged';

/** An item that begins again is another one. */
const keyOf = ({ id, since }: AttentionItem): string => `${id} ${since}`;

const acknowledged = signal<ReadonlySet<string>>(new Set(readStored<string[]>('localStorage', STORAGE_KEY, [])));

const isAcknowledged = (item: AttentionItem): boolean => acknowledged.value.has(keyOf(item));

/** What needs attention, the most urgent first: `open` items, and those that somebody has acknowledged. */
export const attention = computed(() => {
  const items = overview.value?.attention ?? [];
  return {
    open: items.filter((item) => !isAcknowledged(item)),
    acknowledged: items.filter(isAcknowledged),
  };
});

/** Acknowledges an item, or no longer. */
export function toggleAcknowledged(item: AttentionItem): void {
  const key = keyOf(item);
  const others = [...acknowledged.value].filter((one) => one !== key);
  keep(isAcknowledged(item) ? others : [...others, key]);
}

function keep(keys: readonly string[]): void {
  acknowledged.value = new Set(keys);
  storeValue('localStorage', STORAGE_KEY, keys);
}

// An item that has ended needs attention if it comes again.
effect(() => {
  if (!overview.value) return;
  const present = new Set(overview.value.attention.map(keyOf));
  const left = [...acknowledged.peek()].filter((key) => present.has(key));
  if (left.length < acknowledged.peek().size) keep(left);
});
