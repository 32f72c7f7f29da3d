import { interleave, perRound } from '../interleave.ts';
import { notesOf, roundsOf, type Scene, createResultLogger, trawl, withLoad } from '../scene.ts';

/**
 * The queue's part of a long crawl. Its share of the CPU is what the profiler sees of it on the main thread (nothing of
 * it runs elsewhere), over the CPU of the whole process. What the queue's client does for the ledger as well, such as
 * reading replies, is divided as their commands are.
 */
export const queueScene: Scene = {
  name: 'bullmq',
  measure: (setting) =>
    withLoad({ concurrency: 8, latencyMs: 0, pages: [256, 32] }, setting, async (size) => {
      const variants = { trawl: trawl(setting, size, { profile: true }) };
      const rounds = await interleave(variants, roundsOf(setting), createResultLogger('bullmq', setting));
      const share = perRound(rounds, ({ trawl: result }) => {
        const { cpuMs, mainMs = cpuMs, more = {} } = result!;
        const { redisQueuePerPage: queue = 0, redisLedgerPerPage: ledger = 0 } = more;
        const ofMain = (more['share:queue'] ?? 0) + ((more['share:redis'] ?? 0) * queue) / (queue + ledger);
        return (ofMain * mainMs) / cpuMs;
      });
      const commands = perRound(rounds, ({ trawl: result }) => result!.more!['redisQueuePerPage']!);
      return { figures: { 'bullmq-cpu': share, 'bullmq-commands': commands }, notes: notesOf('bullmq', rounds) };
    }),
};
