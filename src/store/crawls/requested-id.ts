import { ACCOUNT_KINDS, formatKinds } from '#service/kinds/crawl-spec.ts';

/** The id of the account that a row of `crawls` was requested by, or null: `readRequestedId` in SQL. */
export const REQUESTED_ID = `iif(kind in (${formatKinds(ACCOUNT_KINDS)}) and target glob 'id:*', substr(target, 4), null)`;
