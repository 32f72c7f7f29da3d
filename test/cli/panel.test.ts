import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { rowsOf } from '../e2e/support.ts';
import { newStore, startCrawl, user } from '../store/support.ts';
import { failure, runCli, runJson, runSuccessfully } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';

/** A store whose accounts were seen with these handles one after the other, each as [id, handle]. */
async function storeOf(...seen: readonly (readonly [restId: string, handle: string])[]) {
  const store = newStore();
  const crawl = await startCrawl(store, 'somebody', Date.now() - 3_600_000);
  for (const [restId, screenName] of seen) await crawl.store({ users: [user(restId, { screenName })] });
  const env = { TRAWL_DB: store.path };
  return {
    db: store.path,
    see: (restId: string, screenName: string) => crawl.store({ users: [user(restId, { screenName })] }),
    trawl: (...args: string[]) => runCli(args, { env }),
    /** The standard output of a command that succeeds. */
    print: async (...args: string[]) => (await runSuccessfully(args, { env })).stdout,
    json: <T>(...args: string[]) => runJson<T>(args, { env }),
  };
}

interface Shown {
  readonly members: readonly {
    readonly restId: string;
    readonly handle: string | null;
    readonly note: string | null;
  }[];
}

const fileOf = (text: string | Uint8Array): string => {
  const file = tempFile('panel.csv');
  writeFileSync(file, text);
  return file;
};

test('a panel is created, filled by handle and id, listed and shown', async () => {
  const { trawl, print, json } = await storeOf(['1', 'NASA'], ['2', 'esa']);
  expect(await trawl('panel')).toMatchObject({ stderr: 'no panels yet: `trawl panel create` creates one\n' });
  await print('panel create stars --description', 'of the study');
  const added = await print('panel add stars @nasa id:2 https://example.org/esa id:77 --note space');
  expect(added.split('\n')).toEqual([
    expect.stringMatching(/^added NASA \(id:1\), last seen 1 h( \d+ s)? ago$/),
    expect.stringMatching(/^added esa \(id:2\), last seen /),
    'added id:77, not stored yet',
    '',
  ]);
  expect(await print('panel')).toMatch(/\nstars +3 +0 +0 +\d{4}-\d\d-\d\d +of the study\n$/);
  const shown = await print('panel show stars');
  expect(shown).toMatch(/^of the study\n\nhandle +id +added +note +state *\n/);
  expect(shown).toMatch(/\nNASA +1 +\d{4}-\d\d-\d\d +space *\n/);
  expect(shown).toMatch(/\n +77 +\S+ +space +not stored yet *\n/);
  expect((await json<Shown>('panel show stars')).members).toMatchObject([
    { restId: '1', handle: 'NASA', screenName: 'NASA', note: 'space', state: null, removedAt: null },
    { restId: '2', handle: 'esa', note: 'space' },
    { restId: '77', handle: null, screenName: null, state: 'unseen' },
  ]);
});

test('adding a member again changes its note only', async () => {
  const { trawl, print, json } = await storeOf(['1', 'nasa'], ['2', 'esa']);
  await print('panel create stars');
  await print('panel add stars nasa esa --note first');
  expect(await trawl('panel add stars nasa')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'panel stars: 0 accounts added, 1 already in it\n',
  });
  expect(await json('panel add stars nasa esa --note second')).toEqual({
    panel: 'stars',
    added: [],
    noted: ['1', '2'],
    unchanged: [],
  });
  expect((await json<Shown>('panel show stars')).members.map(({ note }) => note)).toEqual(['second', 'second']);
});

test('a handle is bound to its latest holder, or to the only former one, and both are named', async () => {
  const { trawl, see } = await storeOf(['7', 'star'], ['7', 'star_then'], ['8', 'star'], ['9', 'moon']);
  await see('9', 'moon_then');
  await trawl('panel create stars');
  expect(await trawl('panel add stars star')).toMatchObject({
    stdout: expect.stringMatching(/^added star \(id:8\), last seen /),
    stderr: 'earlier, star was the handle of id:7\npanel stars: 1 account added\n',
  });
  expect(await trawl('panel add stars moon')).toMatchObject({
    stdout: expect.stringMatching(/^added moon_then \(id:9\), last seen /),
    stderr: 'moon is now called moon_then (id:9)\npanel stars: 1 account added\n',
  });
});

test('a handle that means no account or several is refused, and nothing is added', async () => {
  const { trawl, json, see } = await storeOf(['7', 'star'], ['7', 'seven'], ['8', 'star'], ['1', 'nasa']);
  await see('8', 'eight');
  await trawl('panel create stars');
  expect(await trawl('panel add stars nasa Unknown_1 unknown_2')).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'trawl: nothing was added, since 2 handles cannot be bound: the database has no account with the handle Unknown_1, unknown_2\n' +
      '  `trawl crawl profile Unknown_1 unknown_2` or --crawl fetches the profile.\n',
  });
  expect(await trawl('panel add stars nasa star')).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'trawl: nothing was added, since 1 handle cannot be bound: no account has the handle star now, and 2 accounts had it: id:8, id:7\n' +
      '  Give the ids.\n',
  });
  expect(await trawl('panel add stars nobody --crawl')).toMatchObject(failure(2, 'TRAWL_API_URL is not set'));
  expect((await json<Shown>('panel show stars')).members).toEqual([]);
});

test('members are added from a file and from the database', async () => {
  const { print, json } = await storeOf(['1', 'nasa'], ['2', 'esa'], ['3', 'jaxa']);
  const file = fileOf('# agencies\n@nasa\nid:2\n');
  await print('panel create stars');
  await print('panel add stars --from-file', file, '--from-sql', 'select rest_id from users order by id');
  expect((await json<Shown>('panel show stars')).members.map(({ restId }) => restId)).toEqual(['1', '2', '3']);
});

test('a member is removed by its id, its handle or its former handle, and its history stays', async () => {
  const { trawl, print, json, see } = await storeOf(['1', 'nasa'], ['2', 'esa'], ['3', 'jaxa']);
  await print('panel create stars');
  await print('panel add stars nasa esa jaxa');
  await see('2', 'esa_now');
  expect(await trawl('panel remove stars nasa nobody')).toMatchObject(
    failure(1, 'nobody is no member of the panel stars: nothing was removed'),
  );
  expect(await print('panel remove stars id:1 ESA')).toBe('removed nasa (id:1)\nremoved esa_now (id:2)\n');
  const ids = async (...options: string[]) =>
    (await json<Shown>('panel show stars', ...options)).members.map(({ restId }) => restId);
  expect(await ids()).toEqual(['3']);
  expect(await ids('--all')).toEqual(['1', '2', '3']);
  expect((await trawl('panel show stars')).stderr).toBe(
    '2 former memberships: `trawl panel show stars --all` lists them\n',
  );
});

test('a panel that a scheduled job crawls is not deleted', async () => {
  const { db, trawl, print } = await storeOf(['1', 'nasa']);
  await print('panel create stars');
  await print('panel create news');
  const folder = tempFile('daily.yaml').replace(/\/[^/]*$/, '');
  writeFileSync(`${folder}/daily.yaml`, 'every: 1d\nkind: timeline\ntargets: { panel: stars }\n');
  await print('schedule sync', folder);
  expect(await trawl('panel remove stars --delete')).toMatchObject(
    failure(1, 'scheduled jobs crawl the panel stars: daily'),
  );
  expect(await trawl('panel remove stars')).toMatchObject(failure(2, 'no accounts'));
  expect(await trawl('panel remove news --delete')).toMatchObject({ code: 0, stderr: 'deleted panel news\n' });
  expect(rowsOf(db, 'select name from panels')).toEqual([{ name: 'stars' }]);
});

/** Notes that a careless reader or writer of CSV changes. */
const HOSTILE = [
  'a "quoted", b; c\td',
  'two\nlines\r\nand\rmore',
  ' spaces at the ends ',
  '=1+1',
  "'; drop table panels; --",
  '日本語 🚀 \u202E',
  '"',
  ',',
  'null',
];

test('an exported panel is the same after an import, whatever its notes', async () => {
  const { print, json } = await storeOf(['1', 'nasa']);
  await print('panel create stars');
  for (const [i, note] of HOSTILE.entries())
    await print('panel add stars', `id:179000000000000000${i}`, '--note', note);
  await print('panel add stars nasa');
  const csv = await print('panel export stars');
  expect(csv.split('\n')[0]).toBe('rest_id,handle,note');
  const { db } = await storeOf();
  await runSuccessfully(['panel import copy', fileOf(`\uFEFF${csv}`), '--db', db]);
  const copy = await runJson<Shown>(['panel show copy --db', db]);
  const toRow = ({ restId, handle, note }: Shown['members'][number]) => [restId, handle, note];
  expect(copy.members.map(toRow)).toEqual((await json<Shown>('panel show stars')).members.map(toRow));
  expect(copy.members.map(({ note }) => note)).toEqual([...HOSTILE, null]);
});

test('an import creates the panel, keeps members, and reports what it ignores', async () => {
  const { trawl, json } = await storeOf(['1', 'nasa'], ['2', 'esa']);
  const file = fileOf('rest_id,handle,note,country\n,NASA,new,US\n2,esa_then,,EU\n2,esa,,EU\n');
  expect(await trawl('panel import stars', file)).toEqual({
    code: 0,
    stdout: 'panel stars: 2 accounts added\n',
    stderr: 'ignored 1 duplicate: line 4\nignored columns: country\n',
  });
  expect((await json<Shown>('panel show stars')).members).toMatchObject([
    { restId: '1', handle: 'nasa', note: 'new', state: null },
    // The file says which handle it had.
    { restId: '2', handle: 'esa_then', screenName: 'esa', note: null, state: 'renamed' },
  ]);
  expect((await trawl('panel import stars', file)).stdout).toBe('panel stars: 0 accounts added, 2 already in it\n');
});

test('an import with an error changes nothing', async () => {
  const { db, trawl } = await storeOf(['1', 'nasa']);
  const importing = (text: string | Uint8Array) => trawl('panel import stars', fileOf(text));
  expect(await importing('rest_id\n1\n1.79E+18\n')).toMatchObject(
    failure(2, 'line 3: 1.79E+18 is a number, not an id'),
  );
  expect(await importing('handle\nnasa\nnobody\n')).toMatchObject(failure(1, 'no account with the handle nobody'));
  expect(await importing(Buffer.from('handle\nm\xFCnchen\n', 'latin1'))).toMatchObject(failure(2, 'is not in UTF-8'));
  expect(await trawl('panel import stars /nowhere.csv')).toMatchObject(failure(2, 'cannot read /nowhere.csv'));
  expect(rowsOf(db, 'select name from panels')).toEqual([]);
});

test('commands crawl the members of a panel by id, and name renamed ones', async () => {
  const { db, trawl, print, see } = await storeOf(['1', 'nasa'], ['2', 'esa']);
  await print('panel create stars');
  await print('panel add stars nasa esa id:77');
  await see('2', 'esa_now');
  const queued = await trawl('enqueue timeline --panel stars id:77 -y');
  expect(queued).toMatchObject({
    code: 0,
    stdout: 'crawl 2: timeline id:77\ncrawl 3: timeline nasa (id:1)\ncrawl 4: timeline esa_now (id:2)\n',
    stderr: expect.stringMatching(/^panel stars: esa is now called esa_now \(id:2\)\n/),
  });
  expect(rowsOf(db, "select target, handle from crawls where kind = 'timeline' order by id")).toEqual([
    { target: 'id:77', handle: null },
    { target: 'id:1', handle: 'nasa' },
    { target: 'id:2', handle: 'esa_now' },
  ]);
  expect(await trawl('plan profile --panel stars')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/esa_now \(id:2\)/),
    stderr: expect.stringContaining('panel stars: esa is now called esa_now (id:2)\n'),
  });
  expect((await trawl('enqueue profile --panel stars -q')).stderr).toBe('');
});

test.each([
  [['enqueue', 'tweet', '--panel', 'stars'], 2, '--panel does not apply to tweet: a panel consists of accounts'],
  [['enqueue', 'profile', '--panel', 'starz'], 2, 'there is no panel starz\n  Did you mean stars?'],
  [
    ['crawl', 'profile', '--panel', 'stars'],
    2,
    'the panel stars has no members\n  `trawl panel add stars` adds accounts.',
  ],
  [['plan', 'profile', '--panel', 'stars'], 2, 'the panel stars has no members'],
  [['backfill', 'timeline', '--panel', 'stars'], 2, 'the panel stars has no members'],
  [['backfill', 'timeline'], 2, 'no account\n  Give an account or --panel.'],
  [['coverage'], 2, 'no account\n  Give an account or --panel.'],
  [['coverage', '--panel', 'starz'], 2, 'there is no panel starz'],
  [['panel', 'show', 'starz'], 2, 'there is no panel starz'],
  [['panel', 'add', 'starz', 'nasa'], 2, 'there is no panel starz'],
  [['panel', 'add', 'stars'], 2, 'no accounts'],
  [['panel', 'add', 'stars', 'na sa'], 2, '"na sa" is not an account'],
  [['panel', 'create', 'stars'], 2, 'there is already a panel stars'],
  [['panel', 'create', 'a b'], 2, '"a b" cannot be the name of a panel'],
] as const)('%j is refused', async (args, code, message) => {
  const { trawl } = await storeOf(['1', 'nasa']);
  await trawl('panel create stars');
  expect(await trawl(...args)).toMatchObject(failure(code, message));
});

test('without a database there is no panel, and none is created but by create and import', async () => {
  const env = { TRAWL_DB: tempFile('none.db') };
  expect(await runCli('enqueue profile --panel stars', { env })).toMatchObject(
    failure(2, 'there is no panel stars\n  `trawl panel create stars` creates it.'),
  );
  expect(await runCli(['panel import stars', fileOf('rest_id\n12\n')], { env })).toMatchObject({ code: 0 });
  expect(await runCli('panel create news', { env })).toMatchObject({ code: 0 });
  expect(rowsOf(env.TRAWL_DB, 'select name from panels order by name')).toEqual([{ name: 'news' }, { name: 'stars' }]);
});
