/** Parts of a statement in which a parameter cannot begin: texts, quoted names and comments. */
const OPAQUE = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[^]*?(?:\*\/|$)/;
const PARAMETER = /[:@$](?<name>[A-Za-z0-9_]+)|(?<unnamed>\?\d*)/;
const TOKEN = new RegExp(`${OPAQUE.source}|[A-Za-z0-9_]+|${PARAMETER.source}`, 'g');

/** A parameter in the text of a statement. */
export interface ParameterUse {
  /** The name without its sign; undefined for `?`. */
  readonly name: string | undefined;
  /** The position in the text. */
  readonly index: number;
}

/** Lists the parameters of a statement, in order of their appearance, each as often as it is used. Reads no SQL grammar. */
export function listParameterUses(sql: string): ParameterUse[] {
  return [...sql.matchAll(TOKEN)].flatMap(({ groups, index }): ParameterUse[] => {
    const { name, unnamed } = groups ?? {};
    return name === undefined && unnamed === undefined ? [] : [{ name, index }];
  });
}
