import { ACCOUNT_KINDS } from '../../service/kinds/crawl-spec.ts';
import type { CrawlSelection } from './crawl-selection.ts';

const KINDS = ACCOUNT_KINDS.map((kind) => `'${kind}'`).join(', ');

/**
 * The crawls that collected an account: those of its lists and its profile, searches for its tweets (backfills), and re-checks
 * of its tweets. A crawl that failed before it knew the id counts by the handle.
 */
export function selectAccountCrawls({
  restId,
  screenName,
}: {
  readonly restId: string;
  readonly screenName: string | null;
}): CrawlSelection {
  const handle = screenName?.normalize('NFC').toLowerCase() ?? null;
  return {
    sql: `select id from crawls indexed by crawls_account where target_rest_id = :account and kind in (${KINDS})
union
select id from crawls indexed by crawls_target where kind in (${KINDS}) and target = 'id:' || :account
union
select id from crawls indexed by crawls_target where kind in (${KINDS}) and target = :handle and target_rest_id is null
union
select id from crawls where kind = 'search' and target = 'from:' || :handle
union
select c.id from users u cross join tweets t on t.author_id = u.id
  cross join crawls c indexed by crawls_target on c.kind = 'tweet' and c.target = t.rest_id
  where u.rest_id = :account`,
    parameters: { account: restId, handle },
  };
}
