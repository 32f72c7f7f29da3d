import { serialiseError } from '#store/serialised-errors.ts';
import { describeSqliteError } from '#store/sqlite/database-errors.ts';
import { runQuery } from './export-query.ts';
import { startGuard } from './query-guard.ts';
import type { QueryOrder, QueryReport } from './query-request.ts';

/** A query process (`query-process.ts` starts it): runs the request of its first message, and reports to its parent. */

// A terminal sends these to the whole process group. The parent decides, and ends this process.
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => undefined);

process.on('message', (order: QueryOrder) => {
  startGuard(order.memoryBytes);
  void answer(order);
});

async function answer({ request, memoryBytes }: QueryOrder): Promise<void> {
  const report = await runQuery(request, {
    out: process.stdout,
    onRows: (rows) => void send({ type: 'progress', rows }),
    // Mapped pages of the file would count as memory.
    isMapped: memoryBytes === undefined,
  }).then(
    (result): QueryReport => ({ type: 'result', result }),
    (error: unknown): QueryReport => ({ type: 'error', error: serialiseError(describeSqliteError(error) ?? error) }),
  );
  await send(report);
  // The process ends when nothing is left to write.
  process.disconnect();
}

/** Resolves when the message is sent. A parent that has ended gets none. */
const send = (report: QueryReport): Promise<void> =>
  new Promise((resolve) => {
    process.send!(report, undefined, undefined, () => resolve());
  });
