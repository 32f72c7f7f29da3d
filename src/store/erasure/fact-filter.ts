import {
  type Fact,
  FACT_TABLES,
  type FactColumn,
  type FactTableName,
  type FactUse,
} from '../../ship/facts/fact-tables.ts';
import { ERASED_MARK } from './erased-mark.ts';

/** Reads a text of a fact; undefined if it has none. */
type TextOf = (column: string) => string | undefined;

/** What finds accounts in facts, and replaces what names them. */
interface FactRules {
  readonly isId: (id: string) => boolean;
  readonly isHandle: (handle: string) => boolean;
  /** Whether a fact goes, by the use of a column. */
  readonly hides: Partial<Record<FactUse, (text: string, kind: string, textOf: TextOf) => boolean>>;
  readonly changes: Partial<Record<FactUse, (text: string) => string>>;
}

/** The columns of texts that may hold something of a person, by table; and the places of all columns. */
const TABLES = Object.fromEntries(
  Object.entries(FACT_TABLES).map(([table, { columns }]) => [
    table,
    {
      columns: Object.entries<FactColumn>(columns).map(([name, use], i) => ({ name, use: use as FactUse, i })),
      places: new Map(Object.keys(columns).map((name, i) => [name, i])),
    },
  ]),
);

/**
 * Returns a function that returns a fact without the accounts: the fact itself if it names none, and undefined if it goes.
 * @param first the place of the first column of a fact's own
 */
export function createFactFilter({ isId, isHandle, hides, changes }: FactRules, first = 0) {
  /** The id decides: another account may have the handle now. */
  function isReplyToErased(textOf: TextOf): boolean {
    const status = textOf('in_reply_to_status_rest_id');
    if (status !== undefined && isId(status)) return true;
    const user = textOf('in_reply_to_user_rest_id');
    if (user !== undefined) return isId(user);
    const handle = textOf('in_reply_to_screen_name');
    return handle !== undefined && handle !== ERASED_MARK && isHandle(handle);
  }

  return (table: FactTableName, fact: Fact): Fact | undefined => {
    const { columns, places } = TABLES[table]!;
    const textOf: TextOf = (column) => {
      const value = fact[first + (places.get(column) ?? NaN)];
      return typeof value === 'string' ? value : undefined;
    };
    const kind = textOf('kind') ?? '';
    const isReply = isReplyToErased(textOf);
    const changed = [...fact];
    for (const { name, use, i } of columns) {
      const text = textOf(name);
      if (text !== undefined && hides[use]?.(text, kind, textOf)) return undefined;
      if (text !== undefined && changes[use]) changed[first + i] = changes[use](text);
      if (use === 'reply' && isReply) changed[first + i] = name === 'in_reply_to_screen_name' ? ERASED_MARK : null;
    }
    return changed.every((value, i) => value === fact[i]) ? fact : changed;
  };
}
