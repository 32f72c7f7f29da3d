import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newStore, pageOf, rows, spec } from '../store/support.ts';
import { runCli, runSuccessfully } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';

/** The suggestions for the last word, without descriptions. */
async function suggest(words: readonly string[], { shell = 'zsh', db = '' } = {}): Promise<string[]> {
  const env = { TRAWL_DB: db || join(tempDir(), 'none.db') };
  const { stdout, stderr } = await runSuccessfully(['completion', 'suggest', shell, '--', ...words], { env });
  expect(stderr).toBe('');
  return stdout.split('\n').flatMap((line) => line.split('\t')[0] || []);
}

const FORMAT_NAMES = ['csv', 'xlsx', 'jsonl', 'parquet', 'json', 'markdown', 'table', 'svg'];

describe('trawl completion suggests', () => {
  test.each<[what: string, words: string, suggestions: string[]]>([
    ['commands', 'cr', ['crawl', 'crawls']],
    ['subcommands', 'crawls ', ['list', 'show', 'cancel', 'resume', 'help']],
    ['commands after help', 'help sched', ['schedule']],
    ['kinds', 'enqueue fo', ['followers', 'following']],
    ['kinds of a backfill', 'backfill ', ['timeline', 'search', 'help']],
    ['options', 'crawl timeline nasa --max-p', ['--max-pages']],
    ['no option twice', 'crawl timeline --max-pages 1 --max-p', []],
    ['no options after --', 'keys list -- --', []],
    ['choices of an option', 'sql -f ', FORMAT_NAMES],
    ['choices after =', 'sql --format=c', ['--format=csv']],
    ['more choices', 'crawls list --state queued r', ['running']],
    ['choices of repeated options', 'crawls list --state queued --kind fo', ['followers', 'following']],
    ['kinds of a snowball', 'crawl followers nasa --then profile,t', ['profile,timeline']],
    ['saved queries', 'query run mutual-f', ['mutual-follows']],
    ['saved queries to show', 'query show mutual-f', ['mutual-follows']],
    ['no saved query for a search', 'backfill search mutual-f', []],
    ['parameters of a saved query', 'query run mutual-follows --acc', ['--account']],
    ['its other options', 'query run mutual-follows --account nasa --form', ['--format']],
    ['their choices', 'query run mutual-follows --account nasa -f m', ['markdown']],
    ['no parameter twice', 'query run mutual-follows --account nasa --acc', []],
    ['nothing for unknown queries', 'query run mutual-folows --acc', []],
    ['files', 'crawl timeline --from-file na', [':files']],
    ['files after =', 'status --db=na', [':files']],
    ['files of statements and results', 'sql --file qu', [':files']],
    ['folders', 'schedule sync jo', [':folders']],
    ['folders of an option', 'work --jobs ', [':folders']],
    ['nothing for free text', 'crawl search --since ', []],
    ['nothing for unknown commands', 'crwal pro', []],
    ['nothing without a database', 'crawl timeline na', []],
  ])('%s', async (_, words, suggestions) => {
    expect(await suggest(words.split(' '))).toEqual(suggestions);
  });

  test('every option and choice of every command with its description in one line', async () => {
    const { stdout } = await runCli(['completion', 'suggest', 'fish', '--', 'crawl', '-']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toContain('--max-pages\tstop after n pages (the crawl ends partial)');
    for (const line of lines) expect(line).toMatch(/^-[a-z-]+\t\S.*$/);
  });

  test('the words that Bash splits, joined again', async () => {
    const bash = { shell: 'bash' };
    expect(await suggest(['sql', '--format', '=', 'c'], bash)).toEqual(['csv']);
    expect(await suggest(['sql', '--format', '='], bash)).toEqual(FORMAT_NAMES);
    expect(await suggest(['crawl', 'timeline', '--from-file', '=', 'x'], bash)).toEqual([':files']);
  });

  test('handles of crawls first, then those of accounts with many followers', async () => {
    const store = newStore();
    const [crawl] = await store.write.openCrawls([spec({ kind: 'profile', target: '@nadia', handle: 'Nadia' })], 1);
    const { leaseToken: lease } = (await store.write.takeLease(crawl!.id, 2))!;
    const users = ['nasa', 'NatGeo', 'esa', 'na$(reboot)'].map(
      (screenName, i) =>
        ({ restId: String(i), screenName, detailLevel: 'summary', followersCount: i === 1 ? 10 : 5 }) as const,
    );
    await store.write.commitPage(pageOf(crawl!.id, lease, 3, { rows: rows({ users }) }));
    const db = store.path;
    expect(await suggest(['crawl', 'timeline', 'na'], { db })).toEqual(['Nadia', 'NatGeo', 'nasa']);
    expect(await suggest(['crawl', 'timeline', '@nat'], { db })).toEqual(['@NatGeo']);
    expect(await suggest(['crawl', 'timeline', ''], { db })).toEqual(['Nadia']);
    expect(await suggest(['crawl', 'timeline', 'Nadia', 'nasa', 'na'], { db })).toEqual(['NatGeo']);
    expect(await suggest(['coverage', 'es'], { db })).toEqual(['esa']);
    const query = ['query', 'run', 'mutual-follows'];
    expect(await suggest([...query, '--account', 'es'], { db })).toEqual(['esa']);
    expect(await suggest([...query, '--account=@es'], { db })).toEqual(['--account=@esa']);
    expect(await suggest(['query', 'run', '--db', db, 'mutual-follows', '--account', 'es'])).toEqual(['esa']);
    expect(await suggest(['backfill', 'timeline', 'es'], { db })).toEqual(['esa']);
    expect(await suggest(['plan', 'followers', '--db', db, 'es'])).toEqual(['esa']);
    expect(await suggest(['plan', 'search', 'es'], { db })).toEqual([]);
    expect(await suggest(['crawl', 'timeline', '@'], { db, shell: 'bash' })).toEqual(['Nadia']);
    expect(await suggest(['crawl', 'timeline', '@', 'es'], { db, shell: 'bash' })).toEqual(['esa']);
    expect(await suggest(['panel', 'add', 'stars', 'es'], { db })).toEqual(['esa']);
  });

  test('panels', async () => {
    const { path: db } = newStore();
    for (const name of ['stars', 'news']) await runSuccessfully(['panel', 'create', name, '--db', db]);
    expect(await suggest(['panel', 'show', ''], { db })).toEqual(['news', 'stars']);
    expect(await suggest(['panel', 'import', 's'], { db })).toEqual(['stars']);
    expect(await suggest(['panel', 'import', 'stars', 'st'], { db })).toEqual([':files']);
    expect(await suggest(['crawl', 'timeline', '--panel', 'n'], { db })).toEqual(['news']);
    expect(await suggest(['coverage', '--panel=s'], { db })).toEqual(['--panel=stars']);
    expect(await suggest(['enqueue', 'profile', '--db', db, '--panel', ''])).toEqual(['news', 'stars']);
    expect(await suggest(['panel', 'create', 's'], { db })).toEqual([]);
  });
});

test('trawl completion without a shell shows how to install a script', async () => {
  const { code, stderr, stdout } = await runCli(['completion']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/source <\(trawl completion bash\)/);
  expect(stderr).not.toContain('suggest');
});
