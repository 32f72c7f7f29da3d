import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newStore } from '../store/support.ts';
import { runCli, runSuccessfully } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';

/** The suggestions for the last word, without descriptions. */
async function suggest(words: readonly string[], db = join(tempDir(), 'none.db')): Promise<string[]> {
  const { stdout, stderr } = await runSuccessfully(['completion suggest --', ...words], {
    env: { TRAWL_DB: db },
  });
  expect(stderr).toBe('');
  return stdout.split('\n').flatMap((line) => line.split('\t')[0] || []);
}

describe('trawl completion suggests', () => {
  test.each<[what: string, words: string, suggestions: string[]]>([
    ['commands', 'cr', ['crawl', 'crawls']],
    ['subcommands', 'crawls ', ['list', 'show', 'cancel', 'resume', 'help']],
    ['commands after help', 'help sched', ['schedule']],
    ['kinds', 'enqueue fo', ['followers', 'following']],
    ['options', 'crawl timeline nasa --max-p', ['--max-pages']],
    ['options of crawl that the help of enqueue leaves out', 'enqueue timeline nasa --max-p', ['--max-pages']],
    ['choices of an option', 'sql -f js', ['jsonl', 'json']],
    ['more choices', 'crawls list --state queued r', ['running']],
    ['choices of the next option', 'crawls list --state queued --kind fo', ['followers', 'following']],
    ['kinds of a snowball', 'crawl followers nasa --then ti', ['timeline']],
    ['saved queries', 'query run mutual-f', ['mutual-follows']],
    ['no saved query for a search', 'backfill search mutual-f', []],
    ['nothing for files and free text, which shells complete', 'crawl timeline --from-file na', []],
    ['nothing for unknown commands', 'crwal pro', []],
    ['no panels without a database', 'panel show ', []],
  ])('%s', async (_, words, suggestions) => {
    expect(await suggest(words.split(' '))).toEqual(suggestions);
  });

  test('each option with its description in one line, and panels', async () => {
    const { stdout } = await runCli('completion suggest -- crawl -');
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toContain('--max-pages\tstop after n pages (the crawl ends partial)');
    for (const line of lines) expect(line).toMatch(/^-[a-z-]+\t\S.*$/);

    const { path: db } = newStore();
    for (const name of ['stars', 'news']) await runSuccessfully(['panel create', name, '--db', db]);
    expect(await suggest(['panel', 'show', ''], db)).toEqual(['news', 'stars']);
    expect(await suggest(['enqueue', 'profile', '--db', db, '--panel', 's'])).toEqual(['stars']);
  });
});

test('trawl completion without a shell shows how to install a script', async () => {
  const { code, stderr, stdout } = await runCli('completion');
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/source <\(trawl completion bash\)/);
  expect(stderr).not.toContain('suggest');
});
