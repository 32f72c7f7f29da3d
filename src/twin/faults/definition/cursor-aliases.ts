/** A cursor that a fault invents for a page that the service does not have. It wraps a cursor of the service. */
export interface CursorAlias {
  readonly rule: string;
  readonly target: string | null;
  /** A number for the rule's own use. */
  readonly value: number;
}

const SIGNATURE = 'trawl fault';

/** Encodes an alias. It is opaque to clients and holds its whole state, so it survives a restart of the twin. */
export const encodeAlias = ({ rule, target, value }: CursorAlias): string =>
  Buffer.from(JSON.stringify([SIGNATURE, rule, target, value])).toString('base64url');

/** Decodes an alias; undefined for a cursor of the service. */
function decodeAlias(cursor: string | undefined): CursorAlias | undefined {
  if (cursor === undefined) return undefined;
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (!Array.isArray(parts) || parts[0] !== SIGNATURE) return undefined;
    const [, rule, target, value] = parts as [string, string, string | null, number];
    return { rule, target, value };
  } catch {
    return undefined;
  }
}

/** Returns all nested aliases, outermost first. */
export function decodeAliases(cursor: string | undefined): CursorAlias[] {
  const aliases: CursorAlias[] = [];
  for (let alias = decodeAlias(cursor); alias; alias = decodeAlias(alias.target ?? undefined)) aliases.push(alias);
  return aliases;
}

/** Returns the outermost alias of a rule. */
export const findAlias = (cursor: string | undefined, rule: string): CursorAlias | undefined =>
  decodeAliases(cursor).find((alias) => alias.rule === rule);

/** Returns the wrapped cursor of the service; undefined is the start of the list. */
export function resolveAlias(cursor: string | undefined): string | undefined {
  const innermost = decodeAliases(cursor).at(-1);
  return innermost ? (innermost.target ?? undefined) : cursor;
}
