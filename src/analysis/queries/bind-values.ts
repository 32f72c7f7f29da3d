import { describeAmbiguousHandle, type HandleHolders, readHolders, resolveHolder } from '#analysis/handle-holders.ts';
import { createMissingAccountError, notCollectedError } from '#analysis/resolve-accounts.ts';
import { TrawlError, UsageError } from '#base/errors.ts';
import { quoteShellWord, suggestNames } from '#base/text.ts';
import { parseAccount } from '#service/kinds/target.ts';
import { prepareSearchTargets } from '#store/crawls/search-targets.ts';
import { listPanelNames, unknownPanelError } from '#store/panels/panels.ts';
import type { Db } from '#store/sqlite/database.ts';
import { formatExample } from './describe-query.ts';
import {
  type BoundValue,
  parseValue,
  optionOf,
  type ParameterType,
  type QueryParameter,
  type SavedQuery,
} from './saved-query.ts';

/** What a parameter names in the store. */
export interface NamedTarget {
  readonly type: ParameterType;
  /** The service's id of an account or a tweet; the text of a search; the name of a job or a panel. */
  readonly value: string;
  /** For messages: the current handle of an account. */
  readonly label: string;
  /** For commands: `id:1` for an account without a known handle. */
  readonly crawlTarget: string;
  /** The handle of an account that was not named by its id, with its holders. */
  readonly handle?: { readonly name: string; readonly holders: HandleHolders };
}

/** The values of the parameters of a query. */
export interface BoundValues {
  /** The values to bind, by name. */
  readonly bound: Readonly<Record<string, BoundValue>>;
  /** The parameters that name something in the store. A parameter that is null is not among them. */
  readonly targets: Readonly<Record<string, NamedTarget>>;
}

/**
 * Reads the values of the parameters of a query, and finds what they name in the store. A value is as it would be typed;
 * undefined or null stands for the default.
 * @param now for ages such as 30d, in milliseconds UTC
 * @throws UsageError for a wrong or missing value, TrawlError for a target that was not collected
 */
export function bindValues(
  db: Db,
  query: SavedQuery,
  values: Readonly<Record<string, unknown>>,
  now: number,
): BoundValues {
  const bound: Record<string, BoundValue> = {};
  const targets: Record<string, NamedTarget> = {};
  refuseUnknown(query, values);
  for (const parameter of query.parameters) {
    const given = values[parameter.name] ?? parameter.default;
    if (given === undefined) throw missingValueError(query, parameter);
    if (given !== null && !isTyped(given)) throw wrongValueError(query, parameter, given, 'a text or a whole number');
    const { value, fault } = given === null ? { value: null } : parseValue(parameter, given, now);
    if (fault !== undefined) throw wrongValueError(query, parameter, given, fault);
    const target = value === null ? undefined : FINDERS[parameter.type]?.(db, String(value), String(given));
    if (target) targets[parameter.name] = { type: parameter.type, ...target };
    bound[parameter.name] = target?.value ?? value;
  }
  return { bound, targets };
}

/** Whether a value may have been typed. */
const isTyped = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';

function refuseUnknown({ name, parameters }: SavedQuery, values: Readonly<Record<string, unknown>>): void {
  const known = parameters.map((parameter) => parameter.name);
  const unknown = Object.keys(values).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new UsageError(`${name} has no parameter ${unknown}`, {
    hint: known.length === 0 ? 'It has no parameters.' : `Its parameters: ${known.join(', ')}.`,
  });
}

const missingValueError = (query: SavedQuery, { name, description }: QueryParameter): UsageError =>
  new UsageError(`${query.name} needs ${optionOf(name)}: ${description}`, exampleOf(query));

const wrongValueError = (query: SavedQuery, { name }: QueryParameter, given: unknown, fault: string): UsageError =>
  new UsageError(`${optionOf(name)} should be ${fault}; not ${JSON.stringify(given)}`, exampleOf(query));

const exampleOf = (query: SavedQuery) => ({
  command: { name: 'query run', args: formatExample(query), result: 'is an example' },
});

/** Finds what a value names. @param value in its canonical form @param typed as it was typed, for messages */
type TargetFinder = (db: Db, value: string, typed: string) => Omit<NamedTarget, 'type'>;

const FINDERS: Partial<Record<ParameterType, TargetFinder>> = {
  account(db, value, typed) {
    const account = parseAccount(value);
    if ('id' in account) {
      const found = db.$client
        .prepare<[string], { screenName: string | null }>(
          'select screen_name as screenName from users where rest_id = ?',
        )
        .get(account.id);
      if (!found) throw createMissingAccountError(db, value, typed);
      return nameAccount(account.id, found.screenName);
    }
    const holders = readHolders(db, account.handle);
    const holder = resolveHolder(holders);
    if (!holder && holders.previous.length === 0) throw createMissingAccountError(db, value, typed);
    if (!holder) {
      throw new TrawlError(describeAmbiguousHandle(account.handle, holders.previous), {
        hint: 'Name one of them by its id.',
      });
    }
    return { ...nameAccount(holder.restId, holder.screenName), handle: { name: account.handle, holders } };
  },
  tweet(db, value, typed) {
    const isStored = db.$client.prepare('select 1 from tweets where rest_id = ?').get(value) !== undefined;
    if (!isStored) throw notCollectedError(`the tweet ${typed}`, `tweet ${value}`);
    return { value, label: value, crawlTarget: value };
  },
  search(db, value) {
    const target = prepareSearchTargets(db)(value);
    if (target === undefined)
      throw notCollectedError(`the search ${quoteShellWord(value)}`, `search ${quoteShellWord(value)}`);
    return { value: target, label: quoteShellWord(target), crawlTarget: quoteShellWord(target) };
  },
  job(db, value) {
    const known = db.$client
      .prepare<[], string>(
        'select name from _scheduled_jobs union select job_name from runs where job_name is not null order by 1',
      )
      .pluck()
      .all();
    if (!known.includes(value)) {
      const near = suggestNames(value, known).join(', ');
      throw new UsageError(`there is no job ${value}`, {
        hint: near === '' ? undefined : `Did you mean ${near}?`,
        command: { name: 'schedule', result: 'lists the jobs' },
      });
    }
    return { value, label: value, crawlTarget: value };
  },
  panel(db, value) {
    const known = listPanelNames(db);
    if (!known.includes(value)) throw unknownPanelError(value, known);
    return { value, label: value, crawlTarget: value };
  },
};

function nameAccount(restId: string, screenName: string | null): Omit<NamedTarget, 'type'> {
  const name = screenName ?? `id:${restId}`;
  // A handle with other characters would have to be quoted.
  return { value: restId, label: name, crawlTarget: /^\w+$/.test(name) ? name : `id:${restId}` };
}
