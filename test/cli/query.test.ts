import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '#store/sqlite/database.ts';
import { ADA, createKnownStore } from '../export/support.ts';
import { crawl as crawlOf, insert } from '../queries/period-support.ts';
import { newStore, startCrawl, user } from '../store/support.ts';
import { failure, runCli, runJson, runSuccessfully } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';

const OWN = `/*
title: Which accounts have a text in their handle?
topic: People
description: A row is an account.
parameters:
  part: { type: text, description: a part of the handle }
  order: { type: choice, values: [name, id], default: name, description: the order of the rows }
example: { part: na }
*/
select rest_id, screen_name from v_users where instr(screen_name, :part) > 0
order by case :order when 'name' then screen_name else rest_id end
`;

/** A working directory with queries of its user. */
function folderWith(files: Readonly<Record<string, string>>, folder = 'queries'): string {
  const cwd = tempDir();
  mkdirSync(join(cwd, folder));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, folder, name), text);
  return cwd;
}

/** A store with the accounts 1 nasa, 2 esa and 3 anna. */
async function storeWithAccounts(): Promise<string> {
  const store = newStore();
  const crawl = await startCrawl(store);
  await crawl.store({ users: ['nasa', 'esa', 'anna'].map((screenName, i) => user(String(i + 1), { screenName })) });
  return store.path;
}

interface Listed {
  readonly name: string;
  readonly topic: string;
  readonly isBuiltIn: boolean;
}

describe('trawl query list', () => {
  test('lists the queries of trawl by topic', async () => {
    const listed = await runJson<Listed[]>('query list');
    expect(listed.length).toBeGreaterThan(0);
    expect(listed.every(({ isBuiltIn }) => isBuiltIn)).toBe(true);
    const places = listed.map(({ topic, name }) => `${topic} ${name}`);
    expect(places).toEqual(places.toSorted());
    expect(listed).toContainEqual(expect.objectContaining({ name: 'mutual-follows', topic: 'People' }));
    const { stdout } = await runSuccessfully('query');
    expect(stdout).toMatch(/^topic +query +question\n/);
    expect(stdout).toMatch(/ mutual-follows +Who are an account's mutual follows\?$/m);
    expect(stdout.match(/^People /gm), 'each topic is named once').toHaveLength(1);
  });

  test('lists those of the user, from the folder queries or from TRAWL_QUERIES', async () => {
    const cwd = folderWith({
      'accounts-like.sql': OWN,
      'mutual-follows.sql': OWN,
      'notes.txt': 'x',
      '.hidden.sql': 'x',
    });
    const own = (listed: readonly Listed[]) => listed.filter(({ isBuiltIn }) => !isBuiltIn).map(({ name }) => name);
    expect(own(await runJson('query list', { cwd }))).toEqual(['accounts-like', 'mutual-follows']);
    const elsewhere = folderWith({ 'b.sql': OWN }, 'b');
    const env = { TRAWL_QUERIES: `${cwd}/queries:${elsewhere}/b` };
    expect(own(await runJson('query list', { env }))).toEqual(['accounts-like', 'b', 'mutual-follows']);
    expect((await runCli('query list LIKE', { cwd })).stdout).toContain(join(cwd, 'queries/accounts-like.sql'));
    const missing = await runCli('query list', { env: { TRAWL_QUERIES: '/nowhere' } });
    expect(missing).toEqual(failure(2, 'there is no folder of queries /nowhere'));
  });

  test('finds a text in names, questions and topics', async () => {
    expect((await runSuccessfully('query mutual')).stdout).toContain('mutual-follows');
    expect(await runCli('query list zebra')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'no query has the text zebra\n',
    });
  });

  test('reports the files that are wrong, and lists the others', async () => {
    const cwd = folderWith({ 'good.sql': OWN, 'bad.sql': OWN.replace('type: text', 'type: word') });
    const { code, stdout, stderr } = await runCli('query list good', { cwd });
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('good') as string });
    expect(stderr).toMatch(/^\/.*\/queries\/bad\.sql:6:17: type should be one of account, .*; not "word"\n$/);
    expect(await runCli('query run bad --part x', { cwd })).toEqual(failure(2, 'trawl: the query bad is wrong\n'));
  });
});

describe('trawl query show', () => {
  test('prints the question, the parameters, the needs, an example and the statement', async () => {
    const { stdout } = await runSuccessfully('query show mutual-follows');
    expect(stdout).toMatch(/^Who are an account's mutual follows\?\n/);
    expect(stdout).toContain('\nParameters:\n  --account <account>  the account (required)\n');
    expect(stdout).toContain('\n  the followers of --account, complete: trawl crawl followers <account>\n');
    expect(stdout).toContain('\n  trawl query run mutual-follows --account HarbourNews\n');
    expect(stdout).toMatch(/\nselect [^]*:account[^]*\n$/);
  });

  test('suggests names', async () => {
    const message =
      'there is no query mutual-folows\n  Did you mean mutual-follows? `trawl query list` lists all queries.';
    expect(await runCli('query show mutual-folows')).toEqual(failure(2, message));
  });
});

describe('trawl query run', () => {
  const run = async (...args: string[]) =>
    await runCli(['query run', ...args], {
      cwd: folderWith({ 'accounts-like.sql': OWN }),
      env: { TRAWL_DB: await storeWithAccounts() },
    });

  test('prints the rows for the values of its parameters', async () => {
    const rows = (...names: string[]) => ['rest_id,screen_name', ...names, ''].join('\n');
    expect(await run('accounts-like', '--part', 'na', '-f', 'csv')).toEqual({
      code: 0,
      stdout: rows('3,anna', '1,nasa'),
      stderr: '',
    });
    expect((await run('accounts-like', '--part=na', '--order', 'id', '-f', 'csv')).stdout).toBe(
      rows('1,nasa', '3,anna'),
    );
    expect((await run('-f', 'csv', 'accounts-like', '--part', 'es')).stdout).toBe(rows('2,esa'));
    expect((await run('accounts-like', '--part', 'es')).stdout).toBe(
      'rest_id  screen_name\n───────  ───────────\n2        esa\n',
    );
    expect(JSON.parse((await run('accounts-like', '--part', 'es', '--json')).stdout)).toEqual([
      { rest_id: '2', screen_name: 'esa' },
    ]);
  });

  test('says that there are no results', async () => {
    expect(await run('accounts-like', '--part', 'zebra', '--json')).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^\[\s*\]\n$/) as string,
      stderr: 'no results: nothing in the collected data matches\n',
    });
  });

  test('runs a file of any folder', async () => {
    const cwd = tempDir();
    writeFileSync(join(cwd, 'question.sql'), OWN);
    const db = await storeWithAccounts();
    expect((await runCli(['query run question.sql --db', db, '--part', 'es', '-f', 'csv'], { cwd })).stdout).toContain(
      '2,esa',
    );
    const sql = await runCli(['sql --file question.sql --db', db, '-p', 'part=es', '-p', 'order=id', '-f', 'csv'], {
      cwd,
    });
    expect(sql.stdout).toContain('2,esa');
  });

  test.each<[args: string[], ...messages: string[]]>([
    [
      ['accounts-like'],
      'trawl: accounts-like needs --part: a part of the handle\n  `trawl query run accounts-like --part na` is an example.',
    ],
    [
      ['accounts-like', '--part', 'a', '--order', 'x'],
      'trawl: --order should be one of name, id; not "x"\n  `trawl query run accounts-like --part na` is an example.',
    ],
    [
      ['accounts-like', '--account', 'nasa'],
      "unknown option '--account'",
      'Example: trawl query run accounts-like --part na',
    ],
    [['accounts-like', 'na'], 'too many arguments', 'Example: trawl query run accounts-like --part na'],
    [['accounts-like', '--part'], "option '--part <text>' argument missing", 'Example: '],
    [
      ['accounts-like', '--part', 'a', '--json', '-f', 'csv'],
      "option '--json' cannot be used with option '-f, --format <format>'",
    ],
    [['accounts-like', '--part', 'a', '-f', 'xlsx'], 'xlsx cannot be written to stdout'],
    [['--part', 'na', 'accounts-like'], "unknown option '--part'"],
    [[], "missing required argument 'query'"],
  ])('%j is a usage error', async (args, ...messages) => {
    const result = await run(...args);
    for (const message of messages) expect(result).toEqual(failure(2, message));
  });

  test('explains itself', async () => {
    const { code, stdout } = await run('accounts-like', '--help');
    expect(code).toBe(0);
    expect(stdout).toContain(
      'Usage: trawl query run accounts-like [parameters] [options]\n\nWhich accounts have a text in their handle?\n\nA row is an account.\n',
    );
    expect(stdout).toMatch(
      /\nParameters:\n {2}--part <text> +a part of the handle \(required\)\n {2}--order <choice> +the order of the rows/,
    );
    expect(stdout).toMatch(/\nOptions:\n[^]* --timeout <duration>/);
    expect(stdout).toContain('\nExample:\n  trawl query run accounts-like --part na\n');
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});

describe('queries about changes need two lists', () => {
  const createStore = () => {
    const db = createKnownStore();
    return {
      run: (...words: string[]) => runCli(['query run', ...words, '--db', db]),
      crawl(kind: string, state: string, at: number) {
        using connection = openDatabase(db);
        const times = { created_at: at, started_at: at, updated_at: at, finished_at: at };
        const of = { target: `id:${ADA}`, target_rest_id: ADA };
        insert(connection, 'crawls', [crawlOf(at, { kind, state, ending: 'served', ...of, ...times })]);
      },
    };
  };
  const ONE_TIMELINE =
    /^collected in part: the timeline of ada \(2 complete lists at different times are needed, and there is one\)\n.*crawl timeline ada .*` collects more$/m;

  test('also of an account whose replies were crawled once', async () => {
    const { run, crawl } = createStore();
    const ask = () => run('deletions-and-edits', '--account', 'ada');
    const first = await ask();
    expect(first.code).toBe(3);
    expect(first.stderr).toMatch(ONE_TIMELINE);
    crawl('replies', 'capped', 10_000);
    const more = await ask();
    expect(more.code).toBe(3);
    expect(more.stderr).toMatch(ONE_TIMELINE);
    expect(more.stderr).not.toContain('not available');
    crawl('timeline', 'complete', 20_000);
    const twice = await ask();
    expect(twice.code).toBe(0);
    expect(twice.stderr).not.toMatch(/collected in part|not available/);
  });

  test('also without an account, of any', async () => {
    const { run, crawl } = createStore();
    const ask = () => run('deleted-tweets', '--since', '2030-01-01');
    const once = await ask();
    expect(once.code).toBe(3);
    expect(once.stderr).toMatch(
      /^collected in part: timelines \(2 complete lists of the same account at different times are needed, and there are none\)\n.*crawl timeline <account> .*` collects more$/m,
    );
    expect(once.stderr).not.toContain('no results');
    crawl('timeline', 'complete', 20_000);
    const twice = await ask();
    expect(twice.code).toBe(0);
    expect(twice.stderr).not.toContain('collected in part');
  });

  test('crawls of replies, of which none is complete, count as often as they are repeated', async () => {
    const { run, crawl } = createStore();
    crawl('replies', 'capped', 10_000);
    crawl('replies', 'capped', 20_000);
    const { code, stderr } = await run('deletions-and-edits', '--account', 'ada');
    expect(code).toBe(0);
    expect(stderr).toContain('not available: the tweets and replies of ada (all that the service shows is stored');
  });
});
