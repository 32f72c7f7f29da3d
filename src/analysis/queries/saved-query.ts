import { parseAge, parseDayOrTime, resolveAge } from '#base/clock.ts';
import { UsageError } from '#base/errors.ts';
import { NAME_PATTERN, pluralize } from '#base/text.ts';
import { toIso, formatDay } from '#base/units.ts';
import { type KindName, TWEET_KINDS, kindTable, type TargetType } from '#service/kinds/kinds.ts';
import { parseTarget } from '#service/kinds/target.ts';
import type { Db } from '#store/sqlite/database.ts';
import type { ChartSpec } from './chart-spec.ts';

/**
 * The type of a parameter: `account`, `tweet`, `search`, `job` and `panel` name something in the store; `time` is a day, a
 * time or an age; `choice` is one of several texts.
 */
export const PARAMETER_TYPES = [
  'account',
  'tweet',
  'search',
  'job',
  'panel',
  'text',
  'time',
  'integer',
  'choice',
] as const;
export type ParameterType = (typeof PARAMETER_TYPES)[number];

/** A parameter of a saved query: `:name` in its statement, `--name` on the command line. */
export interface QueryParameter {
  /** Lower-case letters, digits and `_`, which is `-` in the option. */
  readonly name: string;
  readonly type: ParameterType;
  readonly description: string;
  /** The value if none is given, as it would be typed; null is bound as null. Undefined for a required parameter. */
  readonly default?: string | number | null | undefined;
  /** The bounds of an integer, included. */
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  /** The texts of a choice. */
  readonly values?: readonly string[] | undefined;
}

/** Tables that a query may need rows of; `checks` are recent checks of stored tweets, without which deletions are not known. */
export const NEEDED_ITEMS = ['tweets', 'users', 'follows', 'runs', 'checks'] as const;
export type NeededItems = (typeof NEEDED_ITEMS)[number];

/** What has to be collected for a query to answer its question. */
export interface QueryNeed {
  /** Kinds of crawls, each of which is enough. Empty for a need of `items`. */
  readonly kinds: readonly KindName[];
  /** Any rows of this table: of an account, or runs of a job; or checks of the tweets of an account. */
  readonly items?: NeededItems | undefined;
  /** The parameter with the target; without it, or while it is null, any target is enough. */
  readonly of?: string | undefined;
  /** The number of complete lists: 1 by default; 2 or more to find changes; 0 if an incomplete one is enough. */
  readonly lists?: number | undefined;
}

/** A question about the collected data: a statement with parameters and a description. `docs/questions.md` has the format. */
export interface SavedQuery {
  /** The name of its file, without `.sql`. */
  readonly name: string;
  readonly file: string;
  /** Whether it is part of trawl. */
  readonly isBuiltIn: boolean;
  readonly title: string;
  readonly topic: string;
  readonly description: string;
  readonly parameters: readonly QueryParameter[];
  readonly needs: readonly QueryNeed[];
  /** How its result is drawn, if it is worth drawing. */
  readonly chart: ChartSpec | undefined;
  /** Values of parameters, as they would be typed, for the documentation and for tests. */
  readonly example: Readonly<Record<string, string | number>>;
  /** The statement, without the comment at the start of the file. */
  readonly sql: string;
}

/** The option of a parameter on the command line. */
export const optionOf = (name: string): string => `--${name.replaceAll('_', '-')}`;

/** A value as a statement gets it: integers are bigints, since the driver binds numbers as floating-point values. */
export type BoundValue = string | bigint | null;

/** A value, or the description of a valid one. */
export type ParsedValue =
  | { readonly value: BoundValue; readonly fault?: undefined }
  | { readonly value?: undefined; readonly fault: string };

/** How a type of parameter is read and described. */
interface ValueForm {
  /** Undefined if the text is no such value. @param now for ages, in milliseconds UTC */
  parse(text: string, parameter: QueryParameter, now: number): BoundValue | undefined;
  describe(parameter: QueryParameter): string;
}

const readTarget = (type: 'account' | 'tweet' | 'query', text: string): string | undefined => {
  try {
    return parseTarget('a query', type, text).target;
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
};

/** A target of crawls, in its canonical form. */
const target = (type: 'account' | 'tweet' | 'query', description: string): ValueForm => ({
  parse: (text) => readTarget(type, text),
  describe: () => description,
});

/** The name of a job or a panel. */
const name = (description: string): ValueForm => ({
  parse: (text) => (new RegExp(NAME_PATTERN).test(text) ? text : undefined),
  describe: () => `${description}: letters, digits, - and _`,
});

const FORMS: Readonly<Record<ParameterType, ValueForm>> = {
  account: target('account', 'an account: nasa, @nasa, id:11348282 or the address of its profile'),
  tweet: target('tweet', 'a tweet: its id or its address'),
  search: target('query', 'a search string of at most 512 characters'),
  job: name('the name of a job'),
  panel: name('the name of a panel'),
  text: { parse: (text) => text.toWellFormed(), describe: () => 'a text' },
  time: {
    parse(text, _, now) {
      const age = parseAge(text);
      const at = age === undefined ? parseDayOrTime(text) : resolveAge(now, age);
      return at === undefined || at < MIN_TIME || at > MAX_TIME ? undefined : toIso(at);
    },
    describe: () => 'a day such as 2024-01-31, a time such as 2024-01-31T12:00:00Z, or an age such as 24h or 30d',
  },
  integer: {
    parse(text, { min = -Infinity, max = Infinity }) {
      const value = Number(text);
      return /^[+-]?\d+$/.test(text) && Number.isSafeInteger(value) && value >= min && value <= max
        ? BigInt(value)
        : undefined;
    },
    describe: ({ min, max }) =>
      [
        'a whole number',
        ...(min === undefined ? [] : [`from ${min}`]),
        ...(max === undefined ? [] : [`to ${max}`]),
      ].join(' '),
  },
  choice: {
    parse: (text, { values = [] }) => (values.includes(text) ? text : undefined),
    describe: ({ values = [] }) => `one of ${values.join(', ')}`,
  },
};

/** The times whose year has four digits. */
const [MIN_TIME, MAX_TIME] = [Date.parse('0000-01-01'), Date.parse('9999-12-31')];

/** Reads a value as it was typed. @param now for ages, in milliseconds UTC */
export function parseValue(parameter: QueryParameter, typed: string | number, now: number): ParsedValue {
  const value = FORMS[parameter.type].parse(String(typed), parameter, now);
  return value === undefined ? { fault: describeValue(parameter) } : { value };
}

/** Describes a valid value: `a whole number from 1`. */
export const describeValue = (parameter: QueryParameter): string => FORMS[parameter.type].describe(parameter);

/** The names of the parameters that need a value. */
export const listRequired = (parameters: readonly QueryParameter[]): string[] =>
  parameters.filter((parameter) => parameter.default === undefined).map((parameter) => parameter.name);

/** The lists whose pruned items are rows of a needed table. */
const KINDS_OF_ITEMS: Readonly<Record<NonNullable<QueryNeed['items']>, readonly KindName[]>> = {
  tweets: TWEET_KINDS,
  users: ['profile'],
  follows: ['followers', 'following'],
  runs: [],
  checks: [],
};

interface PrunedLists {
  readonly lists: number;
  readonly items: number;
  readonly oldestAt: number | null;
  readonly newestAt: number | null;
  readonly prunedAt: number | null;
}

/**
 * Describes what was removed of the lists that a query needs; undefined if nothing was. Several lists may have shown an item,
 * so that only the largest number of a list is given.
 * @param target the service's id of the account, or the target of the lists; undefined for any
 */
export function describePrunedData({ $client }: Db, need: QueryNeed, target: string | undefined): string | undefined {
  const kinds = need.items === undefined ? need.kinds : KINDS_OF_ITEMS[need.items];
  const { lists, items, oldestAt, newestAt, prunedAt } = $client
    .prepare<[object], PrunedLists>(
      `select count(*) as lists, coalesce(max(items), 0) as items, min(oldest_at) as oldestAt, max(newest_at) as newestAt,
         max(pruned_at) as prunedAt
       from pruned_ranges
       where kind in (select value from json_each(:kinds)) and target = coalesce(:target, target) collate nocase`,
    )
    .get({ kinds: JSON.stringify(kinds), target: target ?? null })!;
  if (prunedAt === null) return undefined;
  const amount =
    lists === 1 || target !== undefined ? pluralize(items, 'item') : `items of ${pluralize(lists, 'list')}`;
  const times = oldestAt === null || newestAt === null ? '' : ` from ${formatDay(oldestAt)} to ${formatDay(newestAt)}`;
  return `${amount}${times} removed from the database, the last on ${formatDay(prunedAt)}`;
}

/** How needed data is called, found and collected. */

interface Items {
  /** The name of the items, and that of the items of an account or a job. */
  readonly any: string;
  readonly of: string;
  /** Tables and conditions of a SELECT, with the service's id of the account, or the name of the job; absent for checks. */
  readonly selectAny?: string;
  readonly selectOf?: string;
  /** A kind of crawl that collects them. */
  readonly kind?: KindName;
}

export const ITEMS: Readonly<Record<NeededItems, Items>> = {
  tweets: {
    any: 'tweets',
    of: 'tweets of',
    selectAny: 'tweets',
    selectOf: 'tweets where author_id = (select id from users where rest_id = ?)',
    kind: 'timeline',
  },
  users: {
    any: 'accounts',
    of: 'the account',
    selectAny: 'users',
    selectOf: 'users where rest_id = ?',
    kind: 'profile',
  },
  follows: {
    any: 'followers or followed accounts',
    of: 'followers or followed accounts of',
    selectAny: 'follows',
    selectOf:
      '(select id as owner from users where rest_id = ?) join follows on follower_id = owner or followee_id = owner',
    kind: 'followers',
  },
  runs: {
    any: 'runs of jobs',
    of: 'runs of the job',
    selectAny: 'runs where job_name is not null',
    selectOf: 'runs where job_name = ?',
  },
  checks: { any: 'recent checks of tweets', of: 'recent checks of the tweets of' },
};

/** `the followers of nasa`, or `followers of accounts` without an owner. */
export const describeLists = (kind: KindName, owner: string | undefined): string =>
  owner === undefined ? kindTable[kind].listName[1] : `${kindTable[kind].listName[0]} ${owner}`;

/** `tweets of nasa`, or `tweets` without an owner. */
export const describeItems = (items: NeededItems, owner: string | undefined): string =>
  owner === undefined ? ITEMS[items].any : `${ITEMS[items].of} ${owner}`;

const PLACEHOLDERS: Readonly<Record<TargetType, string>> = {
  account: '<account>',
  tweet: '<tweet>',
  community: '<community>',
  list: '<list>',
  query: '<search>',
};

/** A placeholder for the target of a crawl. */
export const placeholderOf = (kind: KindName): string => PLACEHOLDERS[kindTable[kind].targetType];
