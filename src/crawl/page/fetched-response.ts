import type { NotFoundError } from '../../base/errors.ts';
import type { StagedPage } from '../../store/staging/staging-messages.ts';

/** What a response contains: its bytes and their JSON, or a staged page. */
export type ResponseContent =
  | { readonly content: Uint8Array; readonly gzip: Uint8Array | undefined; readonly body: unknown }
  | { readonly content: StagedPage };

/** A response as crawls share it, or its 404. A staged page is not shared. `at` is when it was requested. */
export type FetchedResponse = { readonly at: number; readonly status: number } & (
  | ({ readonly headers: string } & ResponseContent)
  | { readonly headers: string | undefined; readonly content: Uint8Array; readonly notFound: NotFoundError }
);
