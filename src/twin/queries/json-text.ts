import { type SQL, sql, type SQLWrapper } from 'drizzle-orm';

/**
 * JSON written by SQLite: what a page shows of a row leaves the database as the bytes that are sent, and is never an
 * object here. The bytes are those of `JSON.stringify`. What was never seen is its type's neutral value (`present.ts`).
 */

/** An expression whose value is JSON; the type is that of the value when it is parsed. */
export interface JsonExpression<T> {
  readonly sql: SQL;
  readonly valueType?: T;
}

/** An object's fields, in the order in which they are written. */
export type JsonFields<T> = {
  readonly [K in keyof T]-?: T[K] extends object ? JsonFields<T[K]> : JsonExpression<T[K]>;
};

/** Written into the statement: names and signs, and nothing that anybody sent. */
const literal = (text: string): SQL => sql.raw(`'${text.replaceAll("'", "''")}'`);

export const textJson = (value: SQLWrapper, unknown = ''): JsonExpression<string> => ({
  sql: sql`json_quote(ifnull(${value}, ${literal(unknown)}))`,
});
export const countJson = (value: SQLWrapper): JsonExpression<number> => ({ sql: sql`ifnull(${value}, 0)` });
export const flagJson = (value: SQLWrapper): JsonExpression<boolean> => ({ sql: sql`iif(${value}, 'true', 'false')` });
/** Milliseconds as ISO 8601; also for years that SQLite does not know, of which nobody has seen an account. */
export const timeJson = (value: SQLWrapper): JsonExpression<string> => ({
  sql: sql`ifnull(strftime('"%Y-%m-%dT%H:%M:%fZ"', ${value} / 1000.0, 'unixepoch'), '"1970-01-01T00:00:00.000Z"')`,
});

/** The text of an object's JSON. */
export function objectJson<T>(shape: JsonFields<T>): SQL<string> {
  const parts: SQL[] = [];
  let pendingText = '';
  function write(fields: object): void {
    let separator = '{';
    for (const [name, value] of Object.entries(fields)) {
      pendingText += `${separator}${JSON.stringify(name)}:`;
      separator = ',';
      if (!isJson(value)) write(value as object);
      else {
        parts.push(literal(pendingText), value.sql);
        pendingText = '';
      }
    }
    pendingText += '}';
  }
  write(shape);
  return sql`concat(${sql.join([...parts, literal(pendingText)], sql`, `)})`;
}

const isJson = (value: unknown): value is JsonExpression<unknown> =>
  typeof value === 'object' && value !== null && 'sql' in value;
