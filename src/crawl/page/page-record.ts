import type { NotFoundError } from '#base/errors.ts';
import { hashBody } from '#base/raw-bodies.ts';
import type { EndpointName } from '#service/contract/endpoints.ts';
import { NO_ROWS } from '#store/normalise/parse-page.ts';
import type {
  Observation,
  Refusal,
  RequestEntry,
  SubmittedBody,
  SubmittedPage,
} from '#store/schema/commit-messages.ts';
import type { StagedPage } from '#store/staging/staging-messages.ts';

type RecordedPart = 'at' | 'rows' | 'responseIndex' | 'lookups' | 'requests' | 'bodies' | 'endpoints' | 'refusal';

/** The requests of one page and their responses. It is stored whether or not the page succeeds. */
export type PageRecord = Pick<SubmittedPage, RecordedPart>;

export type PageRecorder = ReturnType<typeof createPageRecorder>;

/** Collects the record of one page. @param keepRaw whether it includes the bodies */
export function createPageRecorder(startedAt: number, keepRaw: boolean) {
  const requests: RequestEntry[] = [];
  const bodies: SubmittedBody[] = [];
  const endpoints: EndpointName[] = [];
  const lookups: Observation[] = [];
  let page: Pick<SubmittedPage, 'at' | 'rows' | 'responseIndex'> | undefined;
  let latest: Uint8Array | Pick<StagedPage, 'bodyHash'> = Buffer.alloc(0);

  const record = {
    /** The requests that were sent. */
    requests,
    /** When the latest request was sent; after a shared response, when that was requested. */
    at: startedAt,
    /** The last 403 or 404. */
    refusal: undefined as Refusal | undefined,
    /** Records a response as the latest one. */
    addResponse(endpoint: EndpointName, parameters: object, response: FetchedResponse): void {
      const { status, headers, content } = response;
      const gzip = 'gzip' in response ? response.gzip : undefined;
      endpoints.push(endpoint);
      latest = content;
      const body = 'stagedId' in content ? { stagedId: content.stagedId } : content;
      const request = { endpoint, parameters: JSON.stringify(parameters), fetchedAt: record.at };
      if (keepRaw) bodies.push({ ...request, status, headers, body, gzip });
    },
    /** SHA-256 of the body of the latest response. */
    hashResponse(): string {
      if ('bodyHash' in latest) return latest.bodyHash;
      const found = hashBody(latest);
      // A kept body need not be hashed again.
      const last = bodies.at(-1);
      if (last?.body === latest) bodies[bodies.length - 1] = { ...last, hash: found };
      return found;
    },
    /** Records the rows of the latest response as those of the page. */
    setPage(rows: SubmittedPage['rows']): void {
      page = { at: record.at, rows, responseIndex: endpoints.length - 1 };
    },
    /** Records the rows of the latest response as those of a look-up. */
    addLookup: (rows: Observation['rows']): void =>
      void lookups.push({ at: record.at, rows, responseIndex: endpoints.length - 1 }),
    /** The record up to now. */
    read: (): PageRecord => ({
      ...(page ?? { at: record.at, rows: NO_ROWS }),
      lookups,
      requests,
      bodies,
      endpoints,
      refusal: record.refusal,
    }),
  };
  return record;
}

/** What a response contains: its bytes and their JSON, or a staged page. */
export type ResponseContent =
  | { readonly content: Uint8Array; readonly gzip: Uint8Array | undefined; readonly body: unknown }
  | { readonly content: StagedPage };

/** A response as crawls share it, or its 404. A staged page is not shared. `at` is when it was requested. */
export type FetchedResponse = { readonly at: number; readonly status: number } & (
  | ({ readonly headers: string } & ResponseContent)
  | { readonly headers: string | undefined; readonly content: Uint8Array; readonly notFound: NotFoundError }
);
