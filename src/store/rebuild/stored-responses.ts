import { setImmediate as nextTurn } from 'node:timers/promises';
import { TrawlError } from '#base/errors.ts';
import { decompressBody } from '#base/raw-bodies.ts';
import { parseJsonBody } from '#service/contract/json-body.ts';
import { type NormalisedPage, type PageRequest, parsePage } from '#store/normalise/parse-page.ts';
import type { RawPage } from '#store/schema/commit-messages.ts';
import type { rawPages } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import type { ReprocessResult, ReprocessedPage } from '#store/writer/reprocess.ts';

type ResponseColumn = 'id' | 'crawlId' | 'parameters' | 'status' | 'fetchedAt' | 'hash' | 'body';

/** A stored response with its decompressed body. */
export interface StoredResponse extends Readonly<Pick<typeof rawPages.$inferSelect, ResponseColumn>> {
  readonly endpoint: PageRequest['endpoint'];
  readonly headers: string;
}

/** Prepares reading a stored response by its id; undefined if it is missing. */
export function prepareStoredResponses({ $client }: Db): (id: number) => Promise<StoredResponse | undefined> {
  const find = $client.prepare<[number], StoredResponse & Pick<RawPage, 'encoding'>>(
    `select id, crawl_id as crawlId, endpoint, parameters, status, coalesce(headers, '{}') as headers, fetched_at as fetchedAt, hash, encoding, body
     from main.raw_pages where id = ?`,
  );
  return async (id) => {
    const row = find.get(id);
    return row && { ...row, body: await decompressBody(row) };
  };
}

/** Parses a stored response as the crawl did. @throws TrawlError if it cannot be read */
export function parseStoredResponse({
  id,
  endpoint,
  parameters,
  status,
  headers,
  body,
}: StoredResponse): NormalisedPage {
  try {
    const request = { endpoint, value: targetOf(parameters) };
    const { rows, summary } = parsePage(parseJsonBody(body), request, { status, headers });
    return { rows, ...summary };
  } catch (error) {
    throw new TrawlError(`page ${id} (${endpoint}) cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** Returns the target of a request: its only parameter except the cursor. */
function targetOf(parameters: string): string {
  const target = Object.entries(JSON.parse(parameters) as Record<string, string>).find(([name]) => name !== 'cursor');
  return target?.[1] ?? '';
}

export interface ReprocessSummary extends ReprocessResult {
  readonly pages: number;
  /** Pages whose bodies have expired, and pages that today's normalisers cannot read. */
  readonly expired: number;
  readonly unreadable: number;
}

export interface ReprocessOptions {
  /** Ids of the pages, newest first: an older page then only fills unknown values. */
  readonly ids: Iterable<number>;
  readonly signal: AbortSignal;
  readonly store: (page: ReprocessedPage) => Promise<ReprocessResult>;
  readonly now: () => number;
  readonly onPage?: (pages: number) => void;
}

/** Parses stored pages again and stores their rows. */
export async function reprocessPages(db: Db, options: ReprocessOptions): Promise<ReprocessSummary> {
  const { ids, signal, store, now, onPage } = options;
  const readResponse = prepareStoredResponses(db);
  const summary = { pages: 0, expired: 0, unreadable: 0, resolved: 0, newItems: 0 };
  for (const id of ids) {
    signal.throwIfAborted();
    const response = await readResponse(id);
    const page = response && tryParse(response);
    if (!page) {
      summary[response ? 'unreadable' : 'expired'] += 1;
      continue;
    }
    const { crawlId, fetchedAt: at } = response;
    const result = await store({ crawlId, rawPageId: id, at, rows: page.rows, readAt: now() });
    summary.resolved += result.resolved;
    summary.newItems += result.newItems;
    summary.pages += 1;
    onPage?.(summary.pages);
    if (summary.pages % 64 === 0) await nextTurn();
  }
  return summary;
}

function tryParse(response: StoredResponse): NormalisedPage | undefined {
  try {
    return parseStoredResponse(response);
  } catch (error) {
    if (error instanceof TrawlError) return undefined;
    throw error;
  }
}

/** Returns the ids of pages with rows, newest first: no 404s and no pages of another account. */
export function* listPagesWithRows({ $client }: Db): Generator<number> {
  $client.exec(`
    create temp table showed_nothing (id integer primary key);
    with recursive place (n) as (select 0 union all select n + 1 from place where n < (select max(length(response_roles)) from _steps))
    insert into showed_nothing select first_raw_page_id + n from _steps, place
      where first_raw_page_id is not null and substr(response_roles, n + 1, 1) = 'n'`);
  const batch = $client
    .prepare<[number], number>(
      `select id from raw_pages where id < ? and status <> 404 and id not in (select id from showed_nothing)
       order by id desc limit 1000`,
    )
    .pluck();
  for (let ids = batch.all(Number.MAX_SAFE_INTEGER); ids.length > 0; ids = batch.all(ids.at(-1)!)) yield* ids;
}
