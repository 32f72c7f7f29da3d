import { interleave, perRound } from '../interleave.ts';
import { notesOf, roundsOf, type Scene, createResultLogger, trawl, withLoad } from '../scene.ts';

/** The commands that the queue sends to Redis in a long crawl. */
export const queueScene: Scene = {
  name: 'bullmq',
  measure: (setting) =>
    withLoad({ concurrency: 8, latencyMs: 0, pages: [256, 32] }, setting, async (size) => {
      const rounds = await interleave(
        { trawl: trawl(setting, size) },
        roundsOf(setting),
        createResultLogger('bullmq', setting),
      );
      const commands = perRound(rounds, ({ trawl: result }) => result!.more!['redisQueuePerPage']!);
      return {
        figures: { 'bullmq-commands': commands },
        notes: notesOf('bullmq', rounds),
      };
    }),
};
