import { batch, signal } from '@preact/signals';
import type { CrawlIdsData, CrawlListData } from '../../../../dashboard/api/crawls.ts';
import type { CrawlLine } from '../../../../dashboard/api/overview.ts';
import { type AnswerProblem, requestJson, readProblem } from '../../../live/request-json.ts';

/** The rows that the server returns at most for one request. While the list is laid out, more may seem to be on the screen. */
const ROWS_PER_REQUEST = 200;

/** At most so many rows are kept. Those that are shown again are read again. */
const KEPT_ROWS = 5000;

/**
 * The crawls that match an address, as far as they were needed. Their order is that of the first read until `restart`, so that
 * no row moves; the rows themselves are updated.
 */
export function createCrawlList() {
  /** The latest counts; undefined before the first read. */
  const latest = signal<CrawlListData | undefined>(undefined);
  const problem = signal<AnswerProblem | undefined>(undefined);
  /** Changes whenever rows or ids have changed. */
  const revision = signal(0);
  /** Whether the rows belong to an earlier address. */
  const isBusy = signal(true);
  /** The number of rows in the list, which may differ from that of the latest counts. */
  const length = signal(0);
  const hasChanged = signal(false);
  let query = '';
  let ids: number[] = [];
  let next: string | null = null;
  const rows = new Map<number, CrawlLine>();
  let aborted = new AbortController();
  let reading: Promise<void> | undefined;
  const asked = new Set<number>();

  function keep(lines: readonly CrawlLine[]): void {
    for (const line of lines) {
      rows.delete(line.id);
      rows.set(line.id, line);
      asked.delete(line.id);
    }
    for (const id of rows.keys()) {
      if (rows.size <= KEPT_ROWS) break;
      rows.delete(id);
    }
  }

  function begin(data: CrawlListData): void {
    ids = [...data.ids];
    next = data.next;
    length.value = data.total;
    hasChanged.value = false;
  }

  const pathOf = (path: string, more: Readonly<Record<string, string>>): string => {
    const parameters = new URLSearchParams(query);
    for (const [name, value] of Object.entries(more)) parameters.set(name, value);
    return `${path}?${parameters.toString()}`;
  };

  /** Reads with the present address; a result for an earlier one is dropped. */
  async function read<T>(path: string, more: Readonly<Record<string, string>>, use: (data: T) => void): Promise<void> {
    const { signal: current } = aborted;
    try {
      const data = await requestJson<T>(pathOf(path, more), { signal: current });
      if (current.aborted) return;
      batch(() => {
        use(data);
        problem.value = undefined;
        revision.value++;
      });
    } catch (error) {
      if (!current.aborted) problem.value = readProblem(error);
    }
  }

  return {
    latest,
    problem,
    revision,
    isBusy,
    length,
    hasChanged,
    idAt: (index: number): number | undefined => ids[index],
    rowAt: (index: number): CrawlLine | undefined => rows.get(ids[index] ?? -1),
    indexOf: (id: number): number => ids.indexOf(id),
    async restart(search: string): Promise<void> {
      aborted.abort();
      aborted = new AbortController();
      query = search;
      reading = undefined;
      asked.clear();
      isBusy.value = true;
      await read<CrawlListData>('/api/crawls', {}, (data) => {
        latest.value = data;
        rows.clear();
        keep(data.rows);
        begin(data);
        isBusy.value = false;
      });
    },
    async refresh(shown: readonly number[], mayMove: boolean): Promise<void> {
      if (isBusy.value) return;
      await read<CrawlListData>('/api/crawls', { ids: shown.slice(0, ROWS_PER_REQUEST).join() }, (data) => {
        latest.value = data;
        keep(data.rows);
        const isSame = data.total === length.value && data.ids.every((id, i) => ids[i] === id);
        if (!isSame && mayMove) begin(data);
        else hasChanged.value = !isSame;
      });
    },
    need(from: number, to: number): void {
      if (isBusy.value) return;
      const missing = ids
        .slice(from, to + 1)
        .filter((id) => !rows.has(id) && !asked.has(id))
        .slice(0, ROWS_PER_REQUEST);
      if (missing.length > 0) {
        for (const id of missing) asked.add(id);
        void read<CrawlLine[]>('/api/crawls/rows', { ids: missing.join() }, keep);
      }
      if (to < ids.length || next === null || reading) return;
      reading = read<CrawlIdsData>('/api/crawls/ids', { after: next }, (data) => {
        ids.push(...data.ids);
        next = data.next;
        if (next === null) length.value = ids.length;
      }).finally(() => (reading = undefined));
    },
  };
}

export type CrawlList = ReturnType<typeof createCrawlList>;
