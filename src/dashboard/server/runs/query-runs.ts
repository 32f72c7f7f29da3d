import { once } from 'node:events';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import pLimit from 'p-limit';
import { MINUTE, SECOND } from '#base/clock.ts';
import { StoreError, TrawlError, UsageError } from '#base/errors.ts';
import type { CheckedStatement, QueryStatement } from '#dashboard/server/pages/read-statement.ts';
import type { ReadSettings } from '#dashboard/server/reader/read.ts';
import type { Reader } from '#dashboard/server/reader/reader-process.ts';
import { toShortLine } from '#dashboard/server/reader/short-line.ts';
import { formatOf } from '#files/export/formats/formats.ts';
import { QueryLimitError, runQueryProcess } from '#files/export/query/query-process.ts';
import type { QueryRequest } from '#files/export/query/query-request.ts';
import { createLineCollector } from './line-collector.ts';

/** A run as a client asks for it: the name of the query, and the values of its parameters beside options of the run. */
export interface RunRequest {
  readonly name: string;
  readonly query: Readonly<Record<string, string>>;
}

/**
 * Runs saved queries in processes of their own (decisions 46 and 65), a few at a time, with limits on time, memory, rows and bytes.
 * Disposal ends them.
 */
export interface QueryRuns extends AsyncDisposable {
  /** Returns the JSON of a QueryResultData; undefined if there is no such query. @throws TrawlError at a limit */
  answer(request: RunRequest, signal: AbortSignal): Promise<string | undefined>;
  /** Writes all rows as a file. @throws TrawlError if it fails before the first byte, UsageError for a wrong value */
  openFile(request: RunRequest, signal: AbortSignal): Promise<ResultFile | undefined>;
}

/** A file that is written while it is read. Its body fails at a limit. */
export interface ResultFile {
  readonly name: string;
  readonly contentType: string;
  readonly body: Readable;
}

/** So many queries run and wait that another one is refused. */
class TooManyQueriesError extends TrawlError {
  override readonly name = 'TooManyQueriesError';
}

/** Further runs wait for their turn, and beyond that are refused. */
const MAX_RUNNING = 2;
const MAX_WAITING = 8;
const MAX_MEMORY_BYTES = 1e9;
/** The limits of a result that a page shows. */
const MAX_SHOWN = { lines: 1000, bytes: 8 << 20 };
const DEFAULT_TIME_LIMITS_MS = { answer: 30 * SECOND, file: 5 * MINUTE };
const MAX_TIME_LIMIT_MS = 5 * MINUTE;

/** Errors of a run that say nothing about its chart. */
const OTHER_ERRORS = [TooManyQueriesError, QueryLimitError, StoreError];

interface QueryRunOptions {
  readonly settings: ReadSettings;
  readonly reader: Pick<Reader, 'read'>;
  /** The environment of the processes, without secrets. */
  readonly env: Readonly<Record<string, string>>;
}

export function createQueryRuns({ settings, reader, env }: QueryRunOptions): QueryRuns {
  const processes = createProcesses(settings, env);

  async function check({ name, query }: RunRequest, signal: AbortSignal): Promise<CheckedStatement | undefined> {
    const request = { parameters: { name }, query, queue: undefined };
    const { json } = await reader.read({ settings, path: '/api/queries/:name/statement', request }, signal);
    return json === undefined ? undefined : (JSON.parse(json) as CheckedStatement);
  }

  return {
    async answer(request, signal) {
      const timeoutMs = readTimeLimit(request.query['time-limit'], 'answer');
      const width = readWidth(request.query['chart-width']);
      const begunAt = performance.now();
      const checked = await check(request, signal);
      if (!checked) return undefined;
      const { statement } = checked;
      const nothing = { rows: null, isCut: false, emptiness: null, chart: null };
      const found = { check: checked.check, at: Date.now(), ...nothing };
      if (!statement) return JSON.stringify({ ...found, durationMs: 0 });
      const run: StartRun = (format, out, ended) =>
        processes.run(statement, { ...format, out, timeoutMs, signal: AbortSignal.any([signal, ...ended]) });
      const drawn = width === undefined ? undefined : await draw(run, width);
      const read = drawn ? undefined : await readRows(run);
      const durationMs = Math.round(performance.now() - begunAt);
      if (!read) return JSON.stringify({ ...found, ...drawn, durationMs });
      const { lines, isCut } = read;
      const emptiness = lines.length === 0 && !isCut ? statement.emptiness : null;
      // The rows are JSON already.
      return `${JSON.stringify({ ...found, isCut, emptiness, durationMs, rows: undefined }).slice(0, -1)},"rows":[${lines.join()}]}`;
    },

    async openFile(request, signal) {
      const timeoutMs = readTimeLimit(request.query['time-limit'], 'file');
      const checked = await check(request, signal);
      if (!checked) return undefined;
      const { statement } = checked;
      if (!statement) throw describeRefusal(checked);
      const extension = request.query['file-format'] ?? '';
      const name = `${request.name}.${extension}`;
      const { mediaType, extensions, isText } = formatOf(name);
      if (!extensions.includes(extension)) throw new UsageError('file-format must be an extension, such as csv');
      const body = new PassThrough();
      const ended = processes.run(statement, { format: name, out: body, timeoutMs, signal }).then(
        () => void body.end(),
        (error: unknown) => void body.destroy(error as Error),
      );
      // What fails before the first byte is an answer of its own.
      await Promise.race([once(body, 'readable'), ended]);
      if (body.errored) throw body.errored;
      return { name, contentType: isText ? `${mediaType}; charset=utf-8` : mediaType, body };
    },

    [Symbol.asyncDispose]: () => processes[Symbol.asyncDispose](),
  };
}

interface ProcessOptions extends Pick<QueryRequest, 'format' | 'chartWidth'> {
  readonly out: Writable;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Runs statements in processes, each when it is its turn. */
function createProcesses({ path }: ReadSettings, env: QueryRunOptions['env']) {
  const closed = new AbortController();
  const turns = pLimit(MAX_RUNNING);
  const running = new Set<Promise<unknown>>();
  return {
    async run(statement: QueryStatement, { out, timeoutMs, signal, ...format }: ProcessOptions): Promise<void> {
      if (turns.pendingCount >= MAX_WAITING)
        throw new TooManyQueriesError('too many queries are waiting', { hint: 'Cancel one, or try again later.' });
      const { sql, integers, chart } = statement;
      const values = Object.entries(statement.parameters).map(([name, value]) => [
        name,
        value !== null && integers.includes(name) ? BigInt(value) : value,
      ]);
      const request = { db: path, sql, chart, parameters: Object.fromEntries(values), ...format };
      const limits = { timeoutMs, memoryBytes: MAX_MEMORY_BYTES };
      const stopped = AbortSignal.any([signal, closed.signal]);
      const result = turns(() => runQueryProcess(request, { limits, env, out, signal: stopped }));
      running.add(result);
      await result.finally(() => running.delete(result));
    },
    async [Symbol.asyncDispose](): Promise<void> {
      closed.abort(new TrawlError('the dashboard is stopping'));
      await Promise.allSettled(running);
    },
  };
}

/** Runs a statement. @param ended further signals that end it */
type StartRun = (
  format: Pick<QueryRequest, 'format' | 'chartWidth'>,
  out: Writable,
  ended: readonly AbortSignal[],
) => Promise<void>;

/** Reads the first rows, each as JSON. */
async function readRows(run: StartRun) {
  const full = new AbortController();
  const { out, read } = createLineCollector(MAX_SHOWN, () => full.abort());
  await run({ format: 'jsonl' }, out, [full.signal]).catch((error: unknown) => {
    if (!full.signal.aborted) throw error;
  });
  return read();
}

/** Draws the result as SVG, or says why it cannot be drawn: it may still be a table. */
async function draw(run: StartRun, chartWidth: number) {
  const { out, read } = createLineCollector(MAX_SHOWN, () => undefined);
  try {
    await run({ format: 'svg', chartWidth }, out, []);
  } catch (error) {
    const isChartError = error instanceof TrawlError && !OTHER_ERRORS.some((other) => error instanceof other);
    if (!isChartError) throw error;
    return { emptiness: `no chart: ${toShortLine(error.message)}` };
  }
  const { lines, isCut } = read();
  return isCut ? { emptiness: 'no chart: the picture is too large for a page' } : { chart: lines.join('\n') };
}

/** @param text a number of seconds */
function readTimeLimit(text: string | undefined, kind: keyof typeof DEFAULT_TIME_LIMITS_MS): number {
  if (text === undefined) return DEFAULT_TIME_LIMITS_MS[kind];
  const ms = Number(text) * SECOND;
  if (!/^\d{1,4}$/.test(text) || ms < SECOND || ms > MAX_TIME_LIMIT_MS)
    throw new UsageError(`time-limit must be a number of seconds from 1 to ${MAX_TIME_LIMIT_MS / SECOND}`);
  return ms;
}

/** @param text the width of a chart in pixels; undefined for rows */
function readWidth(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{3,4}$/.test(text)) throw new UsageError('chart-width must be a number of pixels from 100 to 9999');
  return Number(text);
}

function describeRefusal({ check: { problems, refusal } }: CheckedStatement): UsageError {
  const [name, problem] = Object.entries(problems)[0] ?? [];
  if (name !== undefined) return new UsageError(`${name} ${problem}`);
  return new UsageError(refusal!.text, { hint: refusal!.hint ?? undefined });
}
