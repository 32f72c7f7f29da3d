import { Command, Option } from 'commander';
import type { CrawlClass } from '../store/messages.ts';
import { CRAWL_CLASSES } from '../store/schema.ts';
import { EXIT, jsonOption, print, tell } from './common.ts';
import { type CrawlWords, withCrawlWords } from './crawl-words.ts';

export function enqueueCommand(): Command {
  return withCrawlWords(new Command('enqueue'))
    .summary('put crawls in line for a worker')
    .description('Puts crawls in line and returns at once; `trawl work` works on them. Takes the same words as crawl.')
    .addOption(new Option('--class <class>', 'how urgent it is').choices(CRAWL_CLASSES).default('interactive'))
    .addOption(jsonOption())
    .addHelpText('after', '\nExample:\n  trawl enqueue followers nasa esa --class backfill && trawl work')
    .action(async (kind: string, targets: string[], words: CrawlWords & { class: CrawlClass }) => {
      const { loadConfig } = await import('../config.ts');
      const { nameCrawls } = await import('./name-crawls.ts');
      const { openQueue } = await import('../context.ts');
      const { createLog } = await import('../log.ts');
      const { specs, faults } = nameCrawls(kind, targets, words, words.class);
      await using queue = await openQueue({ config: loadConfig(), db: words.db, log: createLog({ level: 'warn' }) });
      if (faults > 0) process.exitCode = EXIT.failed;
      const opened = await queue.producer.enqueue(specs);
      const rows = opened.map(({ id, joined }, i) => ({ id, kind, target: specs[i]!.target, joined }));
      if (words.json) return print(JSON.stringify({ crawls: rows }, null, 2));
      for (const row of rows) {
        print(`crawl ${row.id}: ${row.kind} ${row.target}${row.joined ? ' (was in line already)' : ''}`);
      }
      tell('`trawl work` works on what is in line');
    });
}
