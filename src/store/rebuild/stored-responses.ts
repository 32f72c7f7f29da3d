import { TrawlError } from '../../base/errors.ts';
import { decompressBody } from '../../base/raw-bodies.ts';
import { parseJsonBody } from '../../service/contract/json-body.ts';
import { type NormalisedPage, type PageRequest, parsePage } from '../normalise/parse-page.ts';
import type { RawPage } from '../schema/commit-messages.ts';
import type { rawPages } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';

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
