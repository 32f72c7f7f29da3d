import { AsyncLocalStorage } from 'node:async_hooks';
import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { type Config, readConfig, type Variables } from '#config.ts';
import type { Interrupts } from './interrupts.ts';

type Output = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  readonly fd?: number;
};

/** What a command takes from its process. */
export interface RunOptions {
  readonly env: Variables;
  readonly cwd: string;
  readonly streams: {
    readonly stdin: Readable & { readonly isTTY?: boolean };
    readonly stdout: Output;
    readonly stderr: Output;
  };
  /** Interrupts the command. Its reason may be an `Interrupt`. */
  readonly signal: AbortSignal;
  /** Called when the command starts or ends its own handling of interrupts. */
  readonly setInterruptMode?: Interrupts['setMode'];
}

export interface CommandContext extends RunOptions {
  /** The command line, without the name of the program. */
  readonly argv: readonly string[];
  exitCode: number;
  /** The command prints neither progress nor notes. */
  isQuiet?: boolean;
  /** The database of a typed --db. One of the environment also holds for the next command. */
  typedDatabase?: string;
}

const contexts = new AsyncLocalStorage<CommandContext>();

/** Runs `fn` as a command: what it calls gets `context` from `getContext`, also after an await. */
export const runInContext = <T>(context: CommandContext, fn: () => T): T => contexts.run(context, fn);

/** The command that runs here. A listener that a signal calls has none: `AsyncResource.bind` keeps it. */
export function getContext(): CommandContext {
  const context = contexts.getStore();
  if (!context) throw new Error('no command is running here');
  return context;
}

/** `getContext`, or undefined outside of a command, as where a test builds the program. */
export const findContext = (): CommandContext | undefined => contexts.getStore();

/** @throws UsageError that names every wrong variable. */
export const getConfig = (): Config => readConfig(getContext().env);

/** The path of a typed file: as it was typed, unless the command has another working directory than the process. */
export function resolvePath(file: string): string {
  const cwd = findContext()?.cwd ?? process.cwd();
  return cwd === process.cwd() || file === '' || file === '-' ? file : resolve(cwd, file);
}
