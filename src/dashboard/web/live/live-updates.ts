import { batch, signal, computed, effect } from '@preact/signals';
import type { OverviewData, AttentionItem } from '#dashboard/server/api/overview.ts';
import { readStored, storeValue } from '#dashboard/web/app/router.ts';
import { setServerTime } from './now.ts';
import type { AnswerProblem } from './request-json.ts';

/** Updates that the server sends as events, to all pages. */

/** The latest overview; undefined before the first one. Other pages read their data again when it changes. */
export const overview = signal<OverviewData | undefined>(undefined);

/** Why the server cannot read the store; undefined if it can. */
export const storeProblem = signal<AnswerProblem | undefined>(undefined);

/** Whether events arrive. The server sends one every few seconds, whether or not the data changes. */
export const connection = signal<'connecting' | 'connected' | 'lost'>('connecting');

/** Without an event for this time, the connection is lost. */
const SILENCE_MS = 10_000;
/** The wait before a new attempt, if the browser has given up. */
const RETRY_MS = 3000;

let source: EventSource | undefined;
let silence: ReturnType<typeof setTimeout> | undefined;

/**
 * Receives events while the page is visible: browsers open few connections to a server, so that many hidden pages would
 * block the visible one.
 */
export function openLiveUpdates(): void {
  document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()));
  if (!document.hidden) open();
}

/** Opens the stream of events, and opens it again whenever it ends. */
function open(): void {
  close();
  const opened = new EventSource('/api/live');
  source = opened;
  opened.addEventListener('beat', ({ data }: MessageEvent<string>) => {
    hear();
    setServerTime((JSON.parse(data) as { at: number }).at);
  });
  opened.addEventListener('overview', ({ data }: MessageEvent<string>) => {
    hear();
    batch(() => {
      overview.value = JSON.parse(data) as OverviewData;
      storeProblem.value = undefined;
      setServerTime(overview.value.at);
    });
  });
  opened.addEventListener('problem', ({ data }: MessageEvent<string>) => {
    hear();
    storeProblem.value = { hint: undefined, ...(JSON.parse(data) as Pick<AnswerProblem, 'message'>) };
  });
  opened.addEventListener('error', () => {
    connection.value = 'lost';
    clearTimeout(silence);
    // The browser tries again by itself, unless the server refused the stream.
    if (opened.readyState !== EventSource.CLOSED) return;
    setTimeout(() => {
      if (source === opened && !document.hidden) open();
    }, RETRY_MS);
  });
}

function close(): void {
  clearTimeout(silence);
  source?.close();
  source = undefined;
}

function hear(): void {
  connection.value = 'connected';
  clearTimeout(silence);
  silence = setTimeout(() => (connection.value = 'lost'), SILENCE_MS);
}

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
