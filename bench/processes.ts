import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ServerOptions, ServerReady } from './load-service.ts';

/** Starts measured processes, so that runs share no heap, code or connections. */

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const COMPILER = here('../node_modules/typescript/bin/tsc');

/**
 * Compiles the measured processes of a checkout, so that no loader is measured. Returns the folder of the modules of trawl.
 * @throws Error if its bundle, which has the threads, is older than its sources
 */
export function compile(checkout = here('..')): string {
  const sources = readdirSync(join(checkout, 'src'), { recursive: true, encoding: 'utf8' });
  const changedAt = (file: string): number => statSync(join(checkout, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const builtAt = changedAt('dist/bundle/writer-thread.js');
  if (sources.some((name) => name.endsWith('.ts') && changedAt(join('src', name)) > builtAt))
    throw new Error(`the bundle of ${checkout} is older than its sources: run npm run build there`);
  execFileSync(process.execPath, [COMPILER, '-p', join(checkout, 'bench')], { stdio: ['ignore', 2, 2] });
  const built = join(checkout, 'bench/.built');
  // Imports from the root of `src` mean the compiled files here.
  writeFileSync(join(built, 'package.json'), JSON.stringify({ type: 'module', imports: { '#*.ts': './src/*.js' } }));
  return join(built, 'src');
}

const pathOfBuilt = (script: string): string => here(`.built/bench/${script.replace(/\.ts$/, '.js')}`);

/** Runs a benchmark script. @returns its report. @throws with its last output if it fails */
export async function run<T>(script: string, args: object): Promise<T> {
  return await runCommand<T>([process.execPath, pathOfBuilt(script), JSON.stringify(args)], script);
}

/** Runs a command; its last line on stdout is the report. */
export async function runCommand<T>(command: readonly string[], name: string): Promise<T> {
  const child = spawn(command[0]!, command.slice(1), { stdio: ['ignore', 'pipe', 'pipe'] });
  const { out, err, code } = await collectOutput(child);
  if (code !== 0) throw new Error(`${name} failed (${code}): ${err.trim().slice(-2000)}`);
  return JSON.parse(out.trim().split('\n').at(-1)!) as T;
}

async function collectOutput(child: ChildProcess): Promise<{ out: string; err: string; code: number | null }> {
  let out = '';
  let err = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (err += text));
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ out, err, code }));
  });
}

export interface LoadServer extends ServerReady, AsyncDisposable {
  readonly url: string;
}

/** Starts a load server, pinned to a CPU. */
export async function startServer(options: ServerOptions): Promise<LoadServer> {
  const command = [...pinToCpu(), process.execPath, pathOfBuilt('load-server.ts'), JSON.stringify(options)];
  const child = spawn(command[0]!, command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] });
  const ready = await new Promise<ServerReady>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the load server ended (${code})`)));
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line) as ServerReady));
  });
  return {
    ...ready,
    url: `http://127.0.0.1:${ready.port}`,
    [Symbol.asyncDispose]: () => closeProcess(child),
  };
}

/** A process that serves until it is disposed of, and reports its CPU. */
export interface Service extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
  cpuMs(): Promise<number>;
  /** Sends a message and waits for the report. @throws if the process failed */
  request<T>(message: object): Promise<T>;
}

/** Starts a script that answers each line on stdin with a line. `preload` is another script, loaded into all its threads. */
export async function startService(script: string, args: object, preload?: string): Promise<Service> {
  const options = preload === undefined ? [] : ['--import', pathOfBuilt(preload)];
  const child = spawn(process.execPath, [...options, pathOfBuilt(script), JSON.stringify(args)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async <T>(): Promise<T> => {
    const line = await lines.next();
    if (line.done === true) throw new Error(`${script} has ended`);
    return JSON.parse(line.value) as T;
  };
  const ready = await next<{ url: string; key: string }>();
  return {
    ...ready,
    async cpuMs() {
      child.stdin.write('\n');
      return (await next<{ cpuMs: number }>()).cpuMs;
    },
    async request<T>(message: object) {
      child.stdin.write(`${JSON.stringify(message)}\n`);
      const answer = await next<T & { failed?: string }>();
      if (answer.failed !== undefined) throw new Error(answer.failed);
      return answer;
    },
    [Symbol.asyncDispose]: () => closeProcess(child),
  };
}

async function closeProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.stdin?.end();
  await ended;
}

let pinCommand: readonly string[] | undefined;
function pinToCpu(): readonly string[] {
  return (pinCommand ??= availableParallelism() > 1 && isInstalled('taskset') ? ['taskset', '-c', '0'] : []);
}

/** Returns the installed program that runs as Redis; undefined if there is none, and the built-in one is used. */
export const findRedisServer = (): string | undefined => ['redis-server', 'valkey-server'].find(isInstalled);

function isInstalled(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
