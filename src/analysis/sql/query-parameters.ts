import type Database from 'better-sqlite3';
import { UsageError } from '#base/errors.ts';

/** The values of parameters: in their order, or by name without the sign before it. `?1` has the name `1`. */
export type QueryParameters = readonly unknown[] | Readonly<Record<string, unknown>>;

/** @throws UsageError for a parameter without a value, and for a value without a parameter */
export function bindParameters(statement: Database.Statement<unknown[]>, parameters: QueryParameters): void {
  const unused = new Set(isList(parameters) ? [] : Object.keys(parameters));
  try {
    if (isList(parameters)) statement.bind(...parameters);
    else statement.bind(createBindings(parameters, unused));
  } catch (cause) {
    throw describeMismatch(cause, isList(parameters));
  }
  const [name] = unused;
  if (name !== undefined) throw new UsageError(`the statement has no parameter :${name}`);
}

const isList = (parameters: QueryParameters): parameters is readonly unknown[] => Array.isArray(parameters);

/** The values as the driver reads them, each by a getter that removes its name from `unused`. */
function createBindings(values: Readonly<Record<string, unknown>>, unused: Set<string>): object {
  const bindings = {};
  for (const [name, value] of Object.entries(values)) {
    const get = (): unknown => {
      unused.delete(name);
      return value;
    };
    Object.defineProperty(bindings, name, { get });
  }
  return bindings;
}

/** Rewords the driver's errors about missing and superfluous values. */
function describeMismatch(cause: unknown, isByOrder: boolean): unknown {
  const { message = '' } = cause as Partial<Error>;
  const [, missing] = /^Missing named parameter "(.*)"$/.exec(message) ?? [];
  if (missing !== undefined) {
    return new UsageError(`the parameter :${missing} has no value`, {
      command: { name: 'sql', args: `--param ${missing}=…`, result: 'sets it' },
      cause,
    });
  }
  if (/^(Missing named parameters|Too few parameter values)/.test(message)) {
    return isByOrder
      ? new UsageError('the statement has parameters without a value', { cause })
      : new UsageError('the statement has a parameter without a name', { hint: 'Write :name instead of ?.', cause });
  }
  return cause;
}
