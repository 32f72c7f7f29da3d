import { readPanels } from '../../../store/panels/panels.ts';
import type { AccountSuggestion, NetworkSuggestions } from '../../api/network.ts';
import type { ReadContext } from '../../reader/read.ts';
import { toShortLine } from '../../reader/short-line.ts';

/** The number of accounts that are suggested, and of panels. */
const LISTED = 12;
/** The newest crawls among which the longest lists are sought: a store may have 200,000. */
const SEARCHED = 2000;

interface CollectedRow {
  readonly restId: string;
  readonly handle: string | null;
  readonly name: string | null;
  readonly list: AccountSuggestion['list'];
  readonly collected: number;
}

/** Reads what a network can be shown of: panels, and accounts whose lists were collected. */
export function suggestNetworks({ db }: ReadContext): NetworkSuggestions {
  const accounts = db.$client
    .prepare<[number, number, number], CollectedRow>(
      `with newest as (
         select * from (select kind, target_rest_id, items from crawls indexed by crawls_target
           where kind = 'followers' and target_rest_id is not null and items > 0 order by rowid desc limit ?)
         union all select * from (select kind, target_rest_id, items from crawls indexed by crawls_target
           where kind = 'following' and target_rest_id is not null and items > 0 order by rowid desc limit ?))
       select u.rest_id as restId, u.screen_name as handle, u.name, n.kind as list, max(n.items) as collected
       from newest n join users u on u.rest_id = n.target_rest_id group by u.id order by collected desc, u.id limit ?`,
    )
    .all(SEARCHED, SEARCHED, LISTED);
  return {
    panels: readPanels(db)
      .filter(({ members }) => members > 0)
      .slice(0, LISTED)
      .map(({ name, description, members }) => ({
        ...{ name, members, description: description === null ? null : toShortLine(description) },
      })),
    accounts: accounts.map(({ restId, handle, name, list, collected }) => ({
      ...{ restId, list, collected, label: handle === null ? `id:${restId}` : `@${toShortLine(handle)}` },
      name: name === null ? null : toShortLine(name),
    })),
  };
}
