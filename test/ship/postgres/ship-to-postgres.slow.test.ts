import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FACT_TABLE_NAMES } from '../../../src/ship/facts/fact-tables.ts';
import { POSTGRES } from '../../../src/ship/postgres/postgres-target.ts';
import type { FactTarget } from '../../../src/ship/targets/fact-target.ts';
import { newStore, openLeased, pageOf, rows, tweet, user } from '../../store/support.ts';
import { failure, runCli, runJson, runProcess, runSuccessfully, startCli } from '../../support/cli.ts';
import { DATABASE, SUPERUSER } from '../../support/postgres-server.ts';
import { startPostgres } from '../../support/postgres.ts';
import { tempDir, tempFile } from '../../support/temp.ts';
import { storePages } from '../shipped-store.ts';
import { addTarget, askFacts, columnsOf, countFacts, EDGES, edgesOf, readBacklog, shipOnce } from './support.ts';

const PASSWORD = 's3cret pass';

test('facts of PostgreSQL give the rows of the stores, in tables with the types of the facts', async () => {
  const server = await startPostgres();
  const store = newStore();
  await storePages(store, '1', 100);
  await addTarget(store.path, server.address);
  await storePages(store, '2', 200);
  await shipOnce(store.path);
  await storePages(store, '1', 300);
  await shipOnce(store.path);
  expect(await askFacts(server, EDGES)).toEqual(edgesOf(store));
  expect(readBacklog(store)).toBe(0);

  const types = {
    text: 'text',
    integer: 'bigint',
    boolean: 'boolean',
    timestamp: 'timestamp with time zone',
    blob: 'bytea',
  };
  for (const table of FACT_TABLE_NAMES) {
    const found = await server.ask(
      `select column_name::text, data_type::text from information_schema.columns
       where table_schema = 'trawl' and table_name = $1 order by ordinal_position`,
      [table],
    );
    expect(found).toEqual(Object.entries(columnsOf(table)).map(([name, type]) => [name, types[type]]));
  }

  const other = newStore();
  await addTarget(other.path, server.address);
  await storePages(other, '3', 100);
  await shipOnce(other.path);
  expect(await askFacts(server, 'select count(distinct store) from edge_sightings')).toEqual([[2]]);
  const { targets } = await runJson<{
    targets: { address: string; waitingEntries: number; stores: { store: string }[] }[];
  }>(['ship', 'status', '--db', other.path]);
  expect(targets).toMatchObject([
    {
      address: server.address,
      waitingEntries: 0,
      stores: [store.id, other.id].toSorted().map((id) => ({ store: id })),
    },
  ]);
});

test('texts arrive as they are, and times too', async () => {
  const server = await startPostgres();
  const store = newStore();
  await addTarget(store.path, server.address);
  await shipOnce(store.path);
  const text = 'a\\b\tc\nd\re\u2028f 🦆 \\N \\. "\'';
  const { id, lease } = await openLeased(store, 1, { kind: 'tweet', target: '7' });
  const at = Date.parse('2024-02-29T23:59:59.999Z');
  await store.write.commitPage(
    pageOf(id, lease, at, {
      rows: rows({
        users: [user('1', { screenName: 'a', name: '\\N', description: '', verified: false, followersCount: 0 })],
        tweets: [tweet('7', { text, authorRestId: '1', hasMedia: true, createdAt: -1, favoriteCount: 2 ** 40 })],
      }),
    }),
  );
  await shipOnce(store.path);
  const tweets = 'select text, created_at, seen_at, has_media, favorite_count, retweet_count from tweet_sightings';
  expect(await askFacts(server, tweets)).toEqual([[text, -1, at, true, 2 ** 40, null]]);
  const users = 'select name, description, verified, followers_count, location from user_sightings';
  expect(await askFacts(server, users)).toEqual([['\\N', '', false, 0, null]]);
});

test('columns that are missing in a table are added', async () => {
  const server = await startPostgres();
  const store = newStore();
  await addTarget(store.path, server.address);
  await askFacts(server, 'alter table tweet_sightings drop column links; drop table search_hits');
  await storePages(store, '1', 100);
  await shipOnce(store.path);
  expect(await askFacts(server, 'select count(*), count(links) from tweet_sightings')).toEqual([[2, 0]]);
  expect(await askFacts(server, 'select count(*) from search_hits')).toEqual([[0]]);
});

test('a user who may not create tables is told so, and needs no such right when they are there', async () => {
  const server = await startPostgres();
  await server.ask(`create role ann login; create role carl login; create schema mine authorization carl`);
  const address = (name: string): string => server.address.replace(SUPERUSER, name);
  const store = newStore();
  const refused = await runCli(['ship', 'add', address('ann'), '--db', store.path]);
  expect(refused).toEqual(failure(1, `cannot use ${address('ann')}: permission denied for database ${DATABASE}`));
  expect(refused.stderr).toContain('create schema');
  expect(await runJson(['ship', 'status', '--db', store.path])).toEqual({ targets: [] });

  await addTarget(store.path, `${address('carl')}?schema=mine`);
  await server.ask(
    'grant usage on schema mine to ann; grant select, insert, update on all tables in schema mine to ann',
  );
  const other = newStore();
  await addTarget(other.path, `${address('ann')}?schema=mine`);
  await storePages(other, '1', 100);
  await shipOnce(other.path);
  expect(await askFacts(server, EDGES, 'mine')).toEqual(edgesOf(other));
});

test('a password is taken from PGPASSWORD or a file, and is never stored or shown', async () => {
  const server = await startPostgres({}, 'host all all 127.0.0.1/32 scram-sha-256');
  await server.ask(`create role ann login password '${PASSWORD}'; grant create on database ${DATABASE} to ann`);
  const address = server.address.replace(SUPERUSER, 'ann');
  const store = newStore();
  const add = (given: string, PGPASSWORD = '') =>
    runCli(['ship', 'add', given, '--db', store.path], { env: { PGPASSWORD } });
  const withPassword = await add(address.replace('ann', `ann:${encodeURIComponent(PASSWORD)}`));
  expect(withPassword).toEqual(failure(2, 'the address has a password'));
  const outputs = [
    withPassword,
    await add(address),
    await add(address, 'wrong'),
    await add(address, PASSWORD),
    await shipOnce(store.path, { env: { PGPASSWORD: PASSWORD } }),
    await runCli(['ship', 'status', '--json', '--db', store.path], { env: { PGPASSWORD: PASSWORD } }),
  ];
  expect(outputs[1]).toEqual(failure(1, `cannot use ${address}: it asks for a password`));
  expect(outputs[2]).toEqual(failure(1, `cannot use ${address}: password authentication failed for user "ann"`));
  expect(outputs.map(({ code }) => code)).toEqual([2, 1, 1, 0, 0, 0]);
  const shown =
    JSON.stringify(outputs) + readFileSync(store.path, 'latin1') + readFileSync(`${store.path}-wal`, 'latin1');
  expect(shown).toContain(address);
  for (const secret of [PASSWORD, encodeURIComponent(PASSWORD)]) expect(shown).not.toContain(secret);

  const home = tempDir();
  writeFileSync(join(home, '.pgpass'), `127.0.0.1:*:${DATABASE}:ann:${PASSWORD}\n`, { mode: 0o600 });
  const status = await runProcess(['ship', 'status', '--json', '--db', store.path], { env: { HOME: home } });
  expect(JSON.parse(status.stdout)).toMatchObject({ targets: [{ error: null, stores: [{ store: store.id }] }] });
});

test('certificates are checked as the address says', async () => {
  const folder = tempDir();
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=test',
      '-keyout',
      key,
      '-out',
      certificate,
      '-addext',
      'subjectAltName=IP:127.0.0.1',
    ],
    { stdio: 'pipe' },
  );
  const server = await startPostgres({ ssl: 'on' }, 'hostssl all all 127.0.0.1/32 trust', {
    'server.key': readFileSync(key, 'utf8'),
    'server.crt': readFileSync(certificate, 'utf8'),
  });
  const add = (parameters: string, host = '127.0.0.1') =>
    runCli(['ship', 'add', server.address.replace('127.0.0.1', host) + parameters, '--db', newStore().path]);
  expect(await add('')).toEqual(failure(1, 'no pg_hba.conf entry'));
  expect(await add('?sslmode=verify-full')).toEqual(failure(1, 'self-signed certificate'));
  expect(await add(`?sslmode=verify-full&sslrootcert=${certificate}`, 'localhost')).toEqual(
    failure(1, 'does not match'),
  );
  expect(await add(`?sslmode=verify-full&sslrootcert=${folder}/none.pem`)).toEqual(
    failure(2, 'cannot read sslrootcert'),
  );
  expect(await add('?sslmode=require')).toMatchObject({ code: 0 });
  expect(await add(`?sslmode=verify-full&sslrootcert=${certificate}`)).toMatchObject({ code: 0 });

  const plain = await startPostgres();
  const refused = await runCli(['ship', 'add', `${plain.address}?sslmode=require`, '--db', newStore().path]);
  expect(refused).toEqual(failure(1, 'it has no TLS'));
});

test('a server that does not answer is tried again, and shipping goes on when it returns', async () => {
  const server = await startPostgres();
  const store = newStore();
  await addTarget(store.path, server.address);
  const run = startCli(['ship', 'run', '--db', store.path]);
  await storePages(store, '1', 100);
  await expect.poll(() => readBacklog(store)).toBe(0);

  await server.kill();
  await storePages(store, '2', 200);
  await run.waitForLine(/^cannot use postgres:.*: (the connection was lost|connection refused)/);
  await run.waitForLine(/: connection refused$/);
  expect(await runCli(['ship', 'run', '--once', '--db', newStore().path])).toEqual(failure(2, 'has no target'));
  expect(readBacklog(store)).not.toBe(0);
  const status = await runCli(['ship', 'status', '--db', store.path]);
  expect(status).toMatchObject({ code: 0, stderr: expect.stringContaining('connection refused') as string });
  await server.start();
  await expect.poll(() => readBacklog(store)).toBe(0);
  run.kill('SIGTERM');
  expect(await run.exited).toBe(0);
  expect(await askFacts(server, EDGES)).toEqual(edgesOf(store));
});

test('a full disk of the server stops nothing but shipping, until there is space', async () => {
  const server = await startPostgres();
  const store = newStore();
  await addTarget(store.path, server.address);
  await shipOnce(store.path);
  await askFacts(
    server,
    `create function fill() returns trigger language plpgsql as
       $$begin raise exception sqlstate '53100' using message = 'could not extend file: No space left on device'; end$$;
     create trigger fill before insert on edge_sightings execute function fill()`,
  );
  const run = startCli(['ship', 'run', '--db', store.path]);
  await storePages(store, '1', 100);
  await run.waitForLine(/: its disk is full$/);
  expect(readBacklog(store)).not.toBe(0);
  expect(await askFacts(server, 'select count(*) from user_sightings')).toEqual([[0]]);
  await askFacts(server, 'drop trigger fill on edge_sightings');
  await expect.poll(() => readBacklog(store)).toBe(0);
  expect(await askFacts(server, EDGES)).toEqual(edgesOf(store));
});

test('a server that was restored to an older state is refused', async () => {
  const server = await startPostgres();
  const store = newStore();
  await addTarget(store.path, server.address);
  await storePages(store, '1', 100);
  await shipOnce(store.path);
  const backup = join(tempDir(), 'data');
  await server.kill();
  execFileSync('cp', ['-a', server.folder, backup]);
  await server.start();
  await storePages(store, '2', 200);
  await shipOnce(store.path);
  const before = await countFacts(server);
  await server.kill();
  rmSync(server.folder, { recursive: true });
  execFileSync('cp', ['-a', backup, server.folder]);
  await server.start();
  const run = await runCli(['ship', 'run', '--once', '--db', store.path]);
  expect(run).toEqual(failure(1, `${server.address} lacks entries of the store ${store.id}`));

  // It begins again with a snapshot of all rows.
  await runSuccessfully(['ship', 'remove', server.address, '--db', store.path]);
  await addTarget(store.path, server.address);
  await shipOnce(store.path);
  expect(await askFacts(server, EDGES)).toEqual(edgesOf(store));
  expect(before.length).toBeGreaterThan(5);
});

test('a database that was restored to an older state is refused', async () => {
  const server = await startPostgres();
  const store = newStore();
  await addTarget(store.path, server.address);
  await storePages(store, '1', 100);
  await shipOnce(store.path);
  const older = tempFile('older.db');
  await runSuccessfully(['backup', older, '--db', store.path]);
  await storePages(store, '2', 200);
  await shipOnce(store.path);
  expect(await runCli(['ship', 'run', '--once', '--db', older])).toEqual(
    failure(1, `${server.address} has entries of the store ${store.id}`),
  );
});

test('of two processes that ship one store at once, only one adds its facts', async () => {
  const server = await startPostgres();
  const access = { address: server.address, variables: {} };
  await POSTGRES.prepare(access);
  const record = { store: 'mine', sealedAt: new Date().toISOString(), snapshots: [] };
  for (const entry of [1, 2]) {
    await using one = await POSTGRES.open(access, 'mine', tempDir());
    await using other = await POSTGRES.open(access, 'mine', tempDir());
    const ship = async (target: FactTarget): Promise<void> => {
      await using batch = await target.openBatch(entry, '2026-01-01');
      await batch.add('reply_sightings', ['mine', entry, null], [[entry, '1', '2']]);
      await batch.seal({ ...record, entry });
    };
    await ship(one);
    await expect(ship(other)).rejects.toThrow('another process has shipped');
  }
  expect(await askFacts(server, 'select entry from reply_sightings order by 1')).toEqual([[1], [2]]);
  expect(await askFacts(server, 'select store, entry from _stores')).toEqual([['mine', 2]]);
});
