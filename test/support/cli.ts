import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished } from 'vitest';
import { Interrupt, SIGNAL_CODES } from '#cli/interrupts.ts';
import { run } from '#cli/program.ts';
import { tempDir } from './temp.ts';

/** What a run of the command line left. A run that a signal ended has no code. */
export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  /** The variables of trawl's own; those of the machine that runs the tests are not passed on. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The working directory; a new one by default, so that no `.env` is read that is not the test's. */
  readonly cwd?: string | undefined;
  readonly stdin?: string | AsyncIterable<string | Buffer> | undefined;
}

/** A run in progress. It is ended with the test. */
export interface CliRun {
  /** Every line so far, of stdout and stderr. */
  readonly lines: readonly string[];
  /** The first line, past or future, that matches; rejects with all lines when the run ends without one. */
  waitForLine(pattern: RegExp): Promise<string>;
  kill(signal: keyof typeof SIGNAL_CODES): void;
  readonly exited: Promise<number | null>;
}

export interface CliProcess extends CliRun {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
}

/** The result of a run that prints nothing but a message on stderr. */
export const failure = (code: number, message: string) => ({
  code,
  stdout: '',
  stderr: expect.stringContaining(message) as string,
});

/** The result of a check of `trawl doctor`, with the exit code of all checks. */
export async function runDoctorCheck(db: string, name: string, options: CliOptions = {}, ...args: string[]) {
  const { code, stdout } = await runCli(['doctor', '--db', db, '--json', ...args], options);
  const { findings } = JSON.parse(stdout) as { findings: { check: string; status: string; message: string }[] };
  return { code, finding: findings.find(({ check }) => check === name) };
}

const bin = resolve(import.meta.dirname, '../../bin/trawl.js');

/** The arguments of a run. The first string may hold several words. */
export type CliArguments = string | readonly string[];

function toWords(args: CliArguments): readonly string[] {
  const [first, ...rest] = typeof args === 'string' ? [args] : args;
  return first === undefined ? [] : [...first.split(' '), ...rest];
}

/** Runs `trawl` with these arguments to its end, in this process. It reads no `.env`. */
export async function runCli(args: CliArguments, options: CliOptions = {}): Promise<CliResult> {
  const { stdout, stderr, exited } = launch(args, options, new AbortController().signal);
  const [out, err, code] = await Promise.all([text(stdout), text(stderr), exited]);
  return { code, stdout: out, stderr: err };
}

/** Runs `trawl` like {@link runCli}, and fails unless its exit code is 0. */
export async function runSuccessfully(args: CliArguments, options?: CliOptions): Promise<CliResult> {
  const result = await runCli(args, options);
  expect(result.code, result.stderr).toBe(0);
  return result;
}

/** Runs `trawl` with these arguments and `--json`, and returns the document that it prints. */
export async function runJson<T>(args: CliArguments, options?: CliOptions): Promise<T> {
  return JSON.parse((await runCli([...toWords(args), '--json'], options)).stdout) as T;
}

/** Starts `trawl` with these arguments in this process, to talk to it while it runs. */
export function startCli(args: CliArguments, options: CliOptions = {}): CliRun {
  const controller = new AbortController();
  const { stdout, stderr, exited } = launch(args, options, controller.signal);
  onTestFinished(async () => {
    controller.abort();
    await exited;
  });
  const kill: CliRun['kill'] = (signal) => controller.abort(new Interrupt(SIGNAL_CODES[signal]));
  return { ...readLines([stdout, stderr], exited), kill };
}

/** Runs `trawl` with these arguments to its end, in a process of its own. */
export async function runProcess(args: CliArguments, options: CliOptions = {}): Promise<CliResult> {
  const child = start(args, options);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

/** Starts `trawl` with these arguments in a process of its own, to kill it or to talk to it while it runs. */
export function spawnCli(args: CliArguments, options: CliOptions = {}): CliProcess {
  const child = start(args, options);
  const exited = once(child, 'close').then(([code]) => code as number | null);
  return {
    ...readLines([child.stdout!, child.stderr!], exited),
    pid: child.pid!,
    kill: (signal) => void child.kill(signal),
  };
}

function launch(args: CliArguments, options: CliOptions, signal: AbortSignal) {
  const { env, cwd = tempDir(), stdin = '' } = options;
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const streams = { stdin: readFrom(stdin), stdout, stderr };
  const exited = run(toWords(args), { env: { ...machine(), ...env }, cwd, streams, signal }).finally(() => {
    stdout.end();
    stderr.end();
  });
  return { stdout, stderr, exited };
}

function readLines(streams: readonly Readable[], exited: Promise<number | null>): Omit<CliRun, 'kill'> {
  const lines: string[] = [];
  const listeners = new Set<() => void>();
  for (const stream of streams) {
    createInterface(stream).on('line', (line) => {
      lines.push(line);
      for (const listener of listeners) listener();
    });
  }
  return {
    lines,
    exited,
    async waitForLine(pattern) {
      let look = (): void => {};
      const seen = new Promise<string>((found) => {
        look = () => {
          const line = lines.find((each) => pattern.test(each));
          if (line !== undefined) found(line);
        };
      });
      listeners.add(look);
      look();
      const ended = exited.then((code): never => {
        throw new Error(`trawl ended (${code}) without a line like ${pattern}:\n${lines.join('\n')}`);
      });
      return await Promise.race([seen, ended]).finally(() => listeners.delete(look));
    },
  };
}

const readFrom = (input: NonNullable<CliOptions['stdin']>): Readable =>
  Readable.from(typeof input === 'string' ? [input] : input);

function start(args: CliArguments, options: CliOptions): ChildProcess {
  const child = spawn(process.execPath, [bin, ...toWords(args)], {
    cwd: options.cwd ?? tempDir(),
    env: { ...machine(), ...options.env },
  });
  child.stdin.on('error', () => {});
  readFrom(options.stdin ?? '').pipe(child.stdin);
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** The environment without what configures trawl. */
function machine(): NodeJS.ProcessEnv {
  // oxlint-disable-next-line node/no-process-env -- a process needs a PATH
  const kept = Object.entries(process.env).filter(([name]) => !/^(TRAWL_|REDIS_URL$|XDG_RUNTIME_DIR$)/.test(name));
  return Object.fromEntries(kept);
}
