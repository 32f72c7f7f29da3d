import { setImmediate as nextTurn } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { type BodyEncoding, decompressBody } from '../../../base/raw-bodies.ts';
import type { MentionsPolicy } from '../tombstones.ts';
import { completePages } from './erased-rows.ts';
import type { IdentityMatcher } from './name-matcher.ts';

/** Bodies that are decompressed together. */
const BATCH = 32;

interface PageRow {
  readonly id: number;
  readonly parameters: string;
  readonly headers: string | null;
  readonly encoding: BodyEncoding;
  readonly body: Buffer;
}

export interface PageSearch {
  readonly mentions: MentionsPolicy;
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of pages read. */
  readonly onProgress?: ((pages: number, total: number) => void) | undefined;
}

/**
 * Reads every stored body, and selects those that show the accounts (with `redact`, also in texts), all pages of their
 * crawls, and the other pages of the same steps.
 */
export async function selectPages(
  client: Database.Database,
  matcher: IdentityMatcher,
  { mentions, signal, onProgress }: PageSearch,
): Promise<void> {
  client.exec(
    'insert into temp.erased_pages select id from raw_pages where crawl_id in (select id from temp.erased_crawls)',
  );
  const total = client.prepare<[], number>('select count(*) from raw_pages').pluck().get()!;
  const batch = client.prepare<[number], PageRow>(
    `select id, parameters, headers, encoding, body from raw_pages
     where id > ? and id not in (select id from temp.erased_pages) order by id limit ${BATCH}`,
  );
  const select = client.prepare<[number]>('insert into temp.erased_pages values (?)');
  const isInTexts = mentions === 'redact';
  const shows = async (page: PageRow): Promise<boolean> =>
    isNamedAroundBody(matcher, page) || matcher.isShownInBody((await decompressBody(page)).toString(), isInTexts);
  let read = 0;
  for (let pages = batch.all(0); pages.length > 0; pages = batch.all(pages.at(-1)!.id)) {
    signal?.throwIfAborted();
    const shown = await Promise.all(pages.map(shows));
    pages.forEach(({ id }, i) => shown[i] && select.run(id));
    read += pages.length;
    onProgress?.(read, total);
    await nextTurn();
  }
  completePages(client);
}

/** Whether the request of a body, or the headers of its response, name the accounts. */
const isNamedAroundBody = (
  matcher: IdentityMatcher,
  { parameters, headers }: Pick<PageRow, 'parameters' | 'headers'>,
): boolean => isNamedInParameters(matcher, parameters) || (headers !== null && matcher.isShownInBody(headers, true));

/** Whether a request names the accounts: as a target or in a search string. */
const isNamedInParameters = (matcher: IdentityMatcher, parameters: string): boolean =>
  Object.values(JSON.parse(parameters) as Readonly<Record<string, unknown>>).some(
    (value) =>
      typeof value === 'string' && (matcher.isId(value) || matcher.isHandle(value) || matcher.isNamedIn(value)),
  );
