import { createRecheckSpec } from '../../service/kinds/crawl-spec.ts';
import { kindTable } from '../../service/kinds/kinds.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { readDueTweets, readDueUsers } from './due-items.ts';
import { type Check, createSelection, type RecheckScope, type RecheckSelection } from './recheck-scope.ts';
import { prepareSharedLists } from './shared-lists.ts';

/**
 * Selects the crawls that check the due items of a scope, those with the oldest check first, within a number of requests.
 * Unfinished crawls of an earlier selection are selected again, so that an equal request joins them.
 */
export const selectChecks = (db: Db, scope: RecheckScope, maxRequests = Infinity): RecheckSelection =>
  scope.items === 'tweets' ? selectTweetChecks(db, scope, maxRequests) : selectUserChecks(db, scope, maxRequests);

/** Each tweet by a list of its author where that is cheaper, otherwise by its id. */
function selectTweetChecks(db: Db, scope: RecheckScope, maxRequests: number): RecheckSelection {
  const selection = createSelection(maxRequests);
  const findList = prepareSharedLists(db, scope.before);
  const lists = new Map<number, { readonly check: Check; readonly ids: ReadonlySet<number> } | undefined>();
  const selected = new Set<number>();
  for (const { id, restId, authorId, isDeleted } of readDueTweets(db, scope)) {
    if (selection.left < 1) break;
    if (selected.has(id)) continue;
    if (authorId !== null && !lists.has(authorId)) {
      const check = findList(authorId);
      lists.set(authorId, check && { check, ids: new Set(check.items.map((item) => item.id)) });
    }
    // A list that does not show this tweet waits for the first tweet that it shows.
    const list = authorId === null ? undefined : lists.get(authorId);
    if (list?.ids.has(id) && list.check.requests.expected <= selection.left) {
      selection.add(list.check);
      for (const one of list.ids) selected.add(one);
    } else {
      const items = [{ id, wasGone: isDeleted === 1, screenName: null }];
      selection.add({ spec: createRecheckSpec('tweet', restId), items, requests: { expected: 1, max: 1 } });
    }
  }
  return selection.finish();
}

/** The most requests that the check of one account costs: by its handle, by its id, and by its present handle. */
export const MAX_REQUESTS_PER_ACCOUNT = kindTable.profile.maxRequestsPerPage;

function selectUserChecks(db: Db, scope: RecheckScope, maxRequests: number): RecheckSelection {
  const selection = createSelection(maxRequests);
  for (const { id, restId, screenName, isUnavailable, wasCutShort } of readDueUsers(db, scope)) {
    if (selection.left < 1) break;
    // A check that a budget has cut short gets all the requests that it may need.
    const expected = wasCutShort ? MAX_REQUESTS_PER_ACCOUNT : 1;
    if (expected > selection.left) continue;
    selection.add({
      spec: createRecheckSpec('profile', `id:${restId}`),
      items: [{ id, wasGone: isUnavailable === 1, screenName }],
      requests: { expected, max: MAX_REQUESTS_PER_ACCOUNT },
    });
  }
  return selection.finish();
}
