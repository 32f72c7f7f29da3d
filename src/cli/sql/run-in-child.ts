import { systemClock } from '#base/clock.ts';
import { getContext } from '#cli/context.ts';
import { createRowProgress, describeFile, IDS_IN_CSV } from '#cli/export/report.ts';
import { endOnInterrupt } from '#cli/shared/signals.ts';
import { createProgressLine } from '#cli/terminal/output.ts';
import { print, printNote } from '#cli/terminal/print.ts';
import { buildChildEnvironment } from '#config.ts';
import { formatOf } from '#files/export/formats/formats.ts';
import { type QueryLimits, runQueryProcess } from '#files/export/query/query-process.ts';
import type { QueryRequest, QueryResult } from '#files/export/query/query-request.ts';

/** Runs a statement in a child process, which a signal ends at once, and prints what it has written to a file. */
export async function runInChild(request: QueryRequest, limits: QueryLimits): Promise<QueryResult> {
  const { env, streams } = getContext();
  const { now } = systemClock;
  const startedAt = now();
  using line = await createProgressLine({ isHidden: !request.output || getContext().isQuiet });
  const progress = createRowProgress(startedAt, now);
  const result = await runQueryProcess(request, {
    limits,
    env: buildChildEnvironment(env),
    out: streams.stdout,
    signal: endOnInterrupt(),
    onRows: (rows) => line.show(progress(rows)),
  });
  line[Symbol.dispose]();
  if (!result.file) return result;
  for (const text of describeFile(result.file, now() - startedAt)) print(text);
  if (!request.pseudonyms && formatOf(request.format) === formatOf('csv')) printNote(IDS_IN_CSV);
  return result;
}
