import { type SQL, sql, type SQLWrapper } from 'drizzle-orm';

/**
 * JSON written by SQLite: the values of a row become the sent bytes without an object in between. The bytes equal those
 * of `JSON.stringify`. Unknown values become neutral ones (`response-objects.ts`).
 */

/** An expression whose value is JSON; `T` is the type of the parsed value. */
export interface JsonExpression<T> {
  readonly sql: SQL;
  readonly valueType?: T;
}

/** An object's fields, in the order in which they are written. */
export type JsonFields<T> = {
  readonly [K in keyof T]-?: T[K] extends object ? JsonFields<T[K]> : JsonExpression<T[K]>;
};

/** A literal in the statement; never used for data of requests. */
const literal = (text: string): SQL => sql.raw(`'${text.replaceAll("'", "''")}'`);

export const textJson = (value: SQLWrapper, unknown = ''): JsonExpression<string> => ({
  sql: sql`json_quote(ifnull(${value}, ${literal(unknown)}))`,
});
export const countJson = (value: SQLWrapper): JsonExpression<number> => ({ sql: sql`ifnull(${value}, 0)` });
export const flagJson = (value: SQLWrapper): JsonExpression<boolean> => ({ sql: sql`iif(${value}, 'true', 'false')` });
/** Milliseconds as ISO 8601; 1970 for a year that SQLite does not support. */
export const timeJson = (value: SQLWrapper): JsonExpression<string> => ({
  sql: sql`ifnull(strftime('"%Y-%m-%dT%H:%M:%fZ"', ${value} / 1000.0, 'unixepoch'), '"1970-01-01T00:00:00.000Z"')`,
});

/** Returns an expression for the JSON of an object. */
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
