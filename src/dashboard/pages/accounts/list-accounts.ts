import { UsageError } from '../../../errors.ts';
import { rankUsers } from '../../../search/find-users.ts';
import type { AccountListData } from '../../api/accounts.ts';
import type { ReadContext, ReadRequest } from '../../reader/read.ts';
import { listAccountIds, readAccountLines } from './account-lines.ts';

const PAGE = 50;

/** Reads a page of all accounts, or those that match a search (`q`) of handles, names and biographies. */
export function readAccountList({ db }: ReadContext, { query }: ReadRequest): AccountListData {
  const search = query['q']?.trim() ?? '';
  if (search !== '') {
    const ranking = rankUsers(db, search, { order: 'relevance', limit: PAGE, includeHidden: true });
    const { ids, matched, limits } = ranking;
    return { rows: readAccountLines(db, ids), next: null, matched, isBounded: limits.length > 0 };
  }
  const ids = listAccountIds(db, parseId(query['after']), PAGE + 1);
  const shown = ids.slice(0, PAGE);
  const next = ids.length > PAGE ? String(shown.at(-1)) : null;
  return { rows: readAccountLines(db, shown), next, matched: null, isBounded: false };
}

function parseId(text: string | undefined): number {
  if (text === undefined) return Number.MAX_SAFE_INTEGER;
  if (!/^\d{1,15}$/.test(text)) throw new UsageError('after must be a position that this server has sent');
  return Number(text);
}
