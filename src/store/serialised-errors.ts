import * as errors from '#base/errors.ts';
import { loadDriver } from './sqlite/driver.ts';

/** Errors that cross threads and processes: they keep their class, fields and stack. */

/** An error as plain data. */
export interface SerialisedError {
  /** The class of the error, or its nearest known base class. */
  readonly type: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** Own fields, such as the hint or the code of SQLite. */
  readonly fields: Readonly<Record<string, Field>>;
  readonly cause: SerialisedError | undefined;
}

type Primitive = string | number | boolean | null | undefined;
/** Such as the hint, or the command that helps. */
type Field = Primitive | Readonly<Record<string, Primitive>>;

interface ErrorClass {
  readonly name: string;
  readonly prototype: Error;
}

/** The classes of errors that are expected to cross, by name, without those of SQLite. */
const CLASSES: ReadonlyMap<string, ErrorClass> = new Map(
  [
    Error,
    TypeError,
    RangeError,
    ReferenceError,
    SyntaxError,
    EvalError,
    URIError,
    ...Object.values<unknown>(errors).filter(isErrorClass),
  ].map((each) => [each.name, each]),
);

const findClass = (name: string): ErrorClass | undefined =>
  name === 'SqliteError' ? loadDriver().SqliteError : CLASSES.get(name);

/** Returns an error as clonable data. Other thrown values become errors. */
export function serialiseError(thrown: unknown): SerialisedError {
  if (!(thrown instanceof Error)) return serialiseError(new Error(String(thrown)));
  const { message, stack, cause } = thrown;
  const fields = Object.entries(thrown).filter((entry): entry is [string, Field] => isPlain(entry[1]));
  return {
    type: classOf(thrown),
    message,
    stack,
    fields: Object.fromEntries(fields),
    cause: cause === undefined ? undefined : serialiseError(cause),
  };
}

/** Returns the error of a failure, with its class, its fields and the stack of the other thread. */
export function deserialiseError({ type, message, stack, fields, cause }: SerialisedError): Error {
  const error = new Error(message, cause === undefined ? undefined : { cause: deserialiseError(cause) });
  // Constructors are not called: their parameters differ, and all that they set is among the fields.
  Object.setPrototypeOf(error, (findClass(type) ?? Error).prototype as object);
  if (stack !== undefined) error.stack = stack;
  return Object.assign(error, fields);
}

function classOf(error: Error): string {
  for (let at: unknown = Object.getPrototypeOf(error); at instanceof Object; at = Object.getPrototypeOf(at)) {
    const { name } = at.constructor;
    if (findClass(name)?.prototype === at) return name;
  }
  return 'Error';
}

const isPrimitive = (value: unknown): value is Primitive =>
  value == null || ['string', 'number', 'boolean'].includes(typeof value);

const isPlain = (value: unknown): value is Field =>
  isPrimitive(value) ||
  (Object.getPrototypeOf(value) === Object.prototype && Object.values(value as object).every(isPrimitive));

function isErrorClass(value: unknown): value is ErrorClass {
  return typeof value === 'function' && (value.prototype as unknown) instanceof Error;
}
