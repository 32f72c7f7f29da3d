import { LIST_LABELS } from '../../../../analysis/coverage/list-answers.ts';
import { rankUsers } from '../../../../analysis/find/find-users.ts';
import { ACCOUNT_KINDS } from '../../../../service/kinds/crawl-spec.ts';
import type { KindName } from '../../../../service/kinds/kinds.ts';
import type { AccountListData } from '../../api/accounts.ts';
import { formatPosition, parseChoices, parsePosition } from '../../reader/query-values.ts';
import type { ReadContext, ReadRequest } from '../../reader/read.ts';
import { readAccountLines } from './account-lines.ts';
import { ACCOUNT_SORTS, type AccountPosition, listAccountIds } from './account-order.ts';
import { countCollected, groupCollected, selectCollected } from './collected-accounts.ts';

const PAGE = 50;

const LABELS: Readonly<Partial<Record<KindName, string>>> = { profile: 'Profile', ...LIST_LABELS };

/**
 * Reads a page of the collected accounts or of all (`show=all`), or those of all that match a search (`q`) of handles, names and
 * biographies. `kind` has the kinds of crawls that collected them, `sort` and `reverse=1` the order.
 */
export function readAccountList(context: ReadContext, { query }: ReadRequest): AccountListData {
  const { db } = context;
  const groups = groupCollected(context);
  const chosen = parseChoices(query, 'kind', ACCOUNT_KINDS) ?? [];
  const isAll = query['show'] === 'all';
  const all = db.$client.prepare<[], number>('select count(*) from users').pluck().get()!;
  const kinds = chosen.length === 0 ? ACCOUNT_KINDS : chosen;
  const counts = {
    all,
    collected: countCollected(groups, ACCOUNT_KINDS),
    total: isAll ? all : countCollected(groups, kinds),
    kinds: ACCOUNT_KINDS.map((kind) => ({
      kind,
      label: LABELS[kind] ?? kind,
      n: countCollected(groups, [kind]),
      isSelected: chosen.includes(kind),
    })),
  };
  const search = query['q']?.trim() ?? '';
  if (search !== '') {
    const ranking = rankUsers(db, search, { order: 'relevance', limit: PAGE, includeHidden: true });
    const { ids, matched, limits } = ranking;
    return { ...counts, rows: readAccountLines(db, ids), next: null, matched, isBounded: limits.length > 0 };
  }
  const [sort = 'stored'] = parseChoices(query, 'sort', ACCOUNT_SORTS) ?? [];
  const after = parsePosition<AccountPosition>(query['after'], 3);
  const page = { after, limit: PAGE, among: isAll ? undefined : selectCollected(kinds) };
  const { ids, next } = listAccountIds(db, { sort, isReversed: query['reverse'] === '1' }, page);
  return { ...counts, rows: readAccountLines(db, ids), next: formatPosition(next), matched: null, isBounded: false };
}
