import type { FactType } from '../facts/fact-tables.ts';

export type Engine = 'duckdb' | 'postgres' | 'clickhouse';

/** What engines write differently. All else of the views is one text in standard SQL, without correlated subqueries. */
export interface Dialect {
  /**
   * Whether a view has its parts, and other views that it uses several times, as common table expressions, each read once.
   * Otherwise they are views of their own, so that conditions on a view apply inside them.
   */
  readonly hasOwnParts: boolean;
  /** The keywords before a common table expression. */
  readonly as: 'as' | 'as not materialized';
  /** What follows the query of a view. */
  readonly suffix: string;
  /** The types of facts. */
  readonly types: Readonly<Record<FactType, string>>;
  /** A timestamp as milliseconds since the epoch. */
  readonly milliseconds: (timestamp: string) => string;
  /** Milliseconds as `2025-01-31T12:00:00.000Z`. */
  readonly isoTime: (milliseconds: string) => string;
  /** An aggregate: the value of the row with the greatest order, of several the greatest value; null if all values are. */
  readonly latest: (value: string, type: FactType, ...order: readonly string[]) => string;
  /** A text that is compared by its bytes. */
  readonly bytewise: (text: string) => string;
  /** Bytes of a body as a text, for a search; whatever they are. */
  readonly textOf: (blob: string) => string;
  /** Whether a text contains another one. */
  readonly contains: (text: string, part: string) => string;
  /** The SHA-256 of a text, as hexadecimal digits. */
  readonly sha256: (text: string) => string;
  /** The text of a key of a JSON object; null without it. */
  readonly jsonValue: (json: string, key: string) => string;
  /** The length of a JSON list; null for null. */
  readonly jsonLength: (json: string) => string;
  /** A row for each text of a JSON list. */
  readonly jsonTexts: (json: string) => string;
  /** The time at which the statement began, or its transaction. */
  readonly now: string;
  /** The statements around those that create tables, which make them one transaction where there are such. */
  readonly begin: readonly string[];
  readonly commit: readonly string[];
  /**
   * Statements that create a table with the rows of a query, sorted by columns where engines then read only the blocks that a
   * condition on these columns needs.
   */
  readonly createTable: (name: string, query: string, order: readonly string[]) => readonly string[];
}

const DUCKDB: Dialect = {
  hasOwnParts: true,
  as: 'as',
  suffix: '',
  types: { text: 'varchar', integer: 'bigint', boolean: 'boolean', timestamp: 'timestamptz', blob: 'blob' },
  milliseconds: (timestamp) => `epoch_ms(${timestamp})`,
  isoTime: (milliseconds) => `strftime(make_timestamp(${milliseconds} * 1000), '%Y-%m-%dT%H:%M:%S.%gZ')`,
  latest: (value, _type, ...order) => {
    const fields = [...order, value].map((field, i) => `f${i}: ${field}`);
    return `(max({${fields.join(', ')}}) filter (where ${value} is not null)).f${order.length}`;
  },
  bytewise: (text) => text,
  textOf: (blob) => `coalesce(try(decode(${blob})), cast(${blob} as varchar))`,
  contains: (text, part) => `contains(${text}, ${part})`,
  sha256: (text) => `sha256(${text})`,
  jsonValue: (json, key) => `json_extract_string(${json}, '$.${key}')`,
  jsonLength: (json) => `json_array_length(${json})`,
  jsonTexts: (json) => `unnest(from_json(${json}, '["varchar"]'))`,
  now: 'current_timestamp',
  begin: ['begin transaction'],
  commit: ['commit'],
  createTable: (name, query, order) => [
    `create or replace table ${name} as\n  ${query}${order.length > 0 ? `\n  order by ${order.join(', ')}` : ''}`,
  ],
};

const POSTGRES: Dialect = {
  hasOwnParts: false,
  // Planned as views are: an expression that is computed first has no statistics.
  as: 'as not materialized',
  suffix: '',
  types: { text: 'text', integer: 'bigint', boolean: 'boolean', timestamp: 'timestamptz', blob: 'bytea' },
  milliseconds: (timestamp) => `cast(extract(epoch from ${timestamp}) * 1000 as bigint)`,
  isoTime: (milliseconds) =>
    `to_char(timestamp 'epoch' + ${milliseconds} * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  latest: (value, type, ...order) => {
    const last = type === 'text' ? POSTGRES.bytewise(value) : value;
    const descending = [...order, last].map((field) => `${field} desc nulls last`);
    return `(array_agg(${value} order by ${descending.join(', ')}) filter (where ${value} is not null))[1]`;
  },
  bytewise: (text) => `${text} collate "C"`,
  textOf: (blob) => `encode(${blob}, 'escape')`,
  contains: (text, part) => `strpos(${text}, ${part}) > 0`,
  sha256: (text) => `encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`,
  jsonValue: (json, key) => `cast(${json} as json) ->> '${key}'`,
  jsonLength: (json) => `json_array_length(cast(${json} as json))`,
  jsonTexts: (json) => `json_array_elements_text(cast(${json} as json))`,
  now: 'current_timestamp',
  // All tables have the facts of one moment. Compiling a query takes longer than to run it: 40 s for few rows of v_tweets.
  // Nobody needs to know which earlier tables there are not.
  begin: ['begin isolation level repeatable read', 'set local jit = off', 'set local client_min_messages = warning'],
  commit: ['commit'],
  // The plans of the tables after it need its statistics.
  createTable: (name, query) => [`create table ${name} as\n  ${query}`, `analyze ${name}`],
};

const CLICKHOUSE: Dialect = {
  hasOwnParts: false,
  as: 'as',
  suffix: '\nsettings join_use_nulls = 1, prefer_column_name_to_alias = 1, cast_keep_nullable = 1',
  types: {
    text: 'Nullable(String)',
    integer: 'Nullable(Int64)',
    boolean: 'Nullable(Bool)',
    timestamp: "Nullable(DateTime64(3, 'UTC'))",
    blob: 'Nullable(String)',
  },
  milliseconds: (timestamp) => `toUnixTimestamp64Milli(${timestamp})`,
  isoTime: (milliseconds) =>
    `concat(replaceOne(toString(fromUnixTimestamp64Milli(${milliseconds}, 'UTC')), ' ', 'T'), 'Z')`,
  latest: (value, _type, ...order) => `argMaxIf(${value}, (${[...order, value].join(', ')}), ${value} is not null)`,
  bytewise: (text) => text,
  textOf: (blob) => blob,
  contains: (text, part) => `position(${text}, ${part}) > 0`,
  sha256: (text) => `lower(hex(SHA256(${text})))`,
  jsonValue: (json, key) => `if(JSONHas(${json}, '${key}'), JSONExtractString(${json}, '${key}'), null)`,
  jsonLength: (json) => `JSONLength(${json})`,
  jsonTexts: (json) => `arrayJoin(JSONExtract(assumeNotNull(${json}), 'Array(String)'))`,
  now: 'now64(3)',
  begin: [],
  commit: [],
  createTable: (name, query, order) => [
    `create or replace table ${name} engine = MergeTree order by tuple(${order.join(', ')}) settings allow_nullable_key = 1 as\n  ${query}`,
  ],
};

export const DIALECTS: Readonly<Record<Engine, Dialect>> = {
  duckdb: DUCKDB,
  postgres: POSTGRES,
  clickhouse: CLICKHOUSE,
};
