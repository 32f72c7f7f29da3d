import { LIST_LABELS } from '../../../../analysis/coverage/list-answers.ts';
import { rankUsers } from '../../../../analysis/find/find-users.ts';
import { UsageError } from '../../../../base/errors.ts';
import { ACCOUNT_KINDS } from '../../../../service/kinds/crawl-spec.ts';
import type { KindName } from '../../../../service/kinds/kinds.ts';
import type { AccountListData } from '../../api/accounts.ts';
import type { ReadContext, ReadRequest } from '../../reader/read.ts';
import { readAccountLines } from './account-lines.ts';
import { ACCOUNT_SORTS, type AccountOrder, type AccountPosition, listAccountIds } from './account-order.ts';
import { countCollected, groupCollected, selectCollected } from './collected-accounts.ts';

const PAGE = 50;

const LABELS: Readonly<Partial<Record<KindName, string>>> = { profile: 'Profile', ...LIST_LABELS };

type Query = ReadRequest['query'];

/**
 * Reads a page of the collected accounts or of all (`show=all`), or those of all that match a search (`q`) of handles, names and
 * biographies. `kind` has the kinds of crawls that collected them, `sort` and `reverse=1` the order.
 */
export function readAccountList(context: ReadContext, { query }: ReadRequest): AccountListData {
  const { db } = context;
  const groups = groupCollected(context);
  const chosen = parseKinds(query['kind']);
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
  const page = { after: parsePosition(query['after']), limit: PAGE, among: isAll ? undefined : selectCollected(kinds) };
  const { ids, next } = listAccountIds(db, parseOrder(query), page);
  const position = next === undefined ? null : JSON.stringify(next);
  return { ...counts, rows: readAccountLines(db, ids), next: position, matched: null, isBounded: false };
}

function parseKinds(text = ''): KindName[] {
  const names = text.split(',').filter((name) => name !== '');
  return names.map((name) => {
    const kind = ACCOUNT_KINDS.find((one) => one === name);
    if (kind === undefined) throw new UsageError(`kind must be one of ${ACCOUNT_KINDS.join(', ')}`);
    return kind;
  });
}

function parseOrder({ sort: given = 'stored', reverse }: Query): AccountOrder {
  const sort = ACCOUNT_SORTS.find((one) => one === given);
  if (sort === undefined) throw new UsageError(`sort must be one of ${ACCOUNT_SORTS.join(', ')}`);
  return { sort, isReversed: reverse === '1' };
}

function parsePosition(text: string | undefined): AccountPosition | undefined {
  if (text === undefined) return undefined;
  try {
    const [part, key, id] = JSON.parse(text) as unknown[];
    const isKey = typeof key === 'number' || typeof key === 'string';
    if (isKey && Number.isSafeInteger(part) && Number.isSafeInteger(id)) return [part as number, key, id as number];
  } catch {
    // It is no JSON.
  }
  throw new UsageError('after must be a position that this server has sent');
}
