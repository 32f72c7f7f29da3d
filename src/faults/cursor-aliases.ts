/** A cursor of our own that stands for one of the service's: pages that the service does not have need cursors, too. */
export interface CursorAlias {
  /** The rule that gave it. */
  readonly rule: string;
  /** The cursor that it stands for; null is the start of the list. */
  readonly target: string | null;
  /** What the rule wants to know again. */
  readonly value: number;
}

const SIGNATURE = 'trawl fault';

/** Opaque to a client, like any cursor, and without state here: it stays good when the twin is started again. */
export const encodeAlias = ({ rule, target, value }: CursorAlias): string =>
  Buffer.from(JSON.stringify([SIGNATURE, rule, target, value])).toString('base64url');

/** The alias that a cursor is; undefined when it is the service's own. */
function decodeAlias(cursor: string | undefined): CursorAlias | undefined {
  if (cursor === undefined) return undefined;
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (!Array.isArray(parts) || parts[0] !== SIGNATURE) return undefined;
    const [, rule, to, mark] = parts as [string, string, string | null, number];
    return { rule, target: to, value: mark };
  } catch {
    return undefined;
  }
}

/** All aliases that are inside one another, the outermost first. */
export function decodeAliases(cursor: string | undefined): CursorAlias[] {
  const aliases: CursorAlias[] = [];
  for (let alias = decodeAlias(cursor); alias; alias = decodeAlias(alias.target ?? undefined)) aliases.push(alias);
  return aliases;
}

/** The service's own cursor inside; undefined is the start of the list. */
export function resolveAlias(cursor: string | undefined): string | undefined {
  const innermost = decodeAliases(cursor).at(-1);
  return innermost ? (innermost.target ?? undefined) : cursor;
}
