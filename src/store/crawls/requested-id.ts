import { ACCOUNT_KINDS } from '#service/kinds/crawl-spec.ts';

/** The id of the account that a row of `crawls` was requested by, or null: `readRequestedId` in SQL. */
export const REQUESTED_ID = `iif(kind in (${ACCOUNT_KINDS.map((kind) => `'${kind}'`).join()}) and target glob 'id:*', substr(target, 4), null)`;
