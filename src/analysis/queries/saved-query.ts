import type { KindName } from '../../service/kinds/kinds.ts';
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
