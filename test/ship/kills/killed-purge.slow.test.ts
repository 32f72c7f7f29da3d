import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pLimit from 'p-limit';
import { expect, test } from 'vitest';
import { openBucket } from '#files/s3/bucket.ts';
import { parseS3Address } from '#files/s3/s3-settings.ts';
import { readLakeContent } from '#lake/files/lake-content.ts';
import { openLake } from '#lake/files/open-lake.ts';
import { runProcess, runSuccessfully } from '../../support/cli.ts';
import { choosePoints, countKills, killTrawl, listOperations } from '../../support/kills/killed-trawl.ts';
import { tempDir, tempFile } from '../../support/temp.ts';
import { forgetPerson, MENTIONS, OWN_TRACES, PERSON, storePerson } from '../purged-lake.ts';
import { startS3Server } from '../s3/s3-server.ts';

const KILLS = countKills(1);
const limit = pLimit(2);

type Variables = Readonly<Record<string, string>>;

/** A target whose content can be copied to others. */
interface CopiedTarget {
  readonly address: string;
  readonly env: Variables;
  /** What a purge is killed at: its last change of the target. */
  readonly change: RegExp;
  /** Copies the target. Returns the address of the copy. */
  copy(): Promise<string>;
  /** Returns the files of a copy with their bytes as text. */
  readFiles(address: string): Promise<ReadonlyMap<string, string>>;
}

const readFolder = (folder: string): Map<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [path.slice(folder.length), readFileSync(path, 'latin1')]),
  );

function writeFolder(folder: string, files: ReadonlyMap<string, string>): void {
  for (const [name, bytes] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes, 'latin1');
  }
}

async function openFolder(): Promise<CopiedTarget> {
  const address = tempDir();
  return {
    address,
    env: {},
    change: /^after rename /,
    async copy() {
      const folder = tempDir();
      writeFolder(folder, readFolder(address));
      return folder;
    },
    readFiles: async (folder) => readFolder(folder),
  };
}

async function openObjectStorage(): Promise<CopiedTarget> {
  const { env } = await startS3Server();
  const address = 's3://lake/all';
  let copies = 0;
  let files: Promise<Map<string, string>> | undefined;
  const readFiles = async (place: string): Promise<Map<string, string>> => {
    const bucket = openBucket(parseS3Address(place), env);
    const files = new Map<string, string>();
    const folders = ['_stores', '_partial', 'facts'];
    for (const key of (await Promise.all(folders.map(bucket.list))).flat())
      files.set(key, Buffer.from((await bucket.read(key))!).toString('latin1'));
    return files;
  };
  return {
    address,
    env,
    change: /^after write PUT /,
    readFiles,
    async copy() {
      const place = `s3://lake/copy-${(copies += 1)}`;
      const bucket = openBucket(parseS3Address(place), env);
      for (const [key, bytes] of await (files ??= readFiles(address)))
        await bucket.write(key, Buffer.from(bytes, 'latin1'));
      return place;
    },
  };
}

/** Two stores with the person in a snapshot, and in entries of the second one, which alone has forgotten them. */
async function shipPerson(address: string, env: Variables): Promise<void> {
  for (const [i, path] of [tempFile('other.db'), tempFile('one.db')].entries()) {
    const ship = () => runSuccessfully(['lake', 'ship', '--once', '--quiet', '--db', path], { env });
    await storePerson(path, 1000 + i);
    await runSuccessfully(['lake', 'add', address, '--db', path], { env });
    await ship();
    if (i === 0) continue;
    await storePerson(path, 2000);
    await ship();
    await forgetPerson(path, 'redact');
    await ship();
  }
}

/** All facts of a target as text, sorted. */
async function readFacts(address: string, variables: Variables): Promise<string[]> {
  const content = await readLakeContent(await openLake(address, variables));
  const texts: string[] = [];
  for (const part of await content.listParts())
    for await (const { entry, facts } of part.read())
      for (const [table, rows] of Object.entries(facts))
        for (const fact of rows) texts.push(`${table} ${entry} ${JSON.stringify(fact)}`);
  return texts.toSorted();
}

const findTraces = (texts: Iterable<string>): string[] => {
  const all = [...texts].join('\n').toLowerCase();
  return [...OWN_TRACES, ...MENTIONS].filter((trace) => all.includes(trace.toLowerCase()));
};
const namesPerson = (fact: string): boolean =>
  [PERSON.id, PERSON.handle, PERSON.tweet].some((name) => fact.includes(name));

test.each([
  ['a folder', openFolder],
  ['object storage', openObjectStorage],
] as const)(
  'a purge of %s that is killed at any operation is continued by the next one, which leaves nothing of the person and all of the others',
  async (_, open) => {
    const target = await open();
    const { env } = target;
    await shipPerson(target.address, env);
    const before = await readFacts(target.address, env);
    expect(findTraces(before)).toEqual([...OWN_TRACES, ...MENTIONS]);
    const others = before.filter((fact) => !namesPerson(fact));
    expect(others.length).toBeGreaterThan(20);
    const purge = (address: string): string[] => ['lake', 'purge', address, '--quiet'];
    const whole = await target.copy();
    const operations = await listOperations(purge(whole), env);
    expect(operations.length).toBeGreaterThan(50);
    const expected = await readFacts(whole, env);
    expect(findTraces(expected)).toEqual([]);
    const files = [...(await target.readFiles(whole)).keys()].toSorted();

    const kill = async (point: number): Promise<void> => {
      const address = await target.copy();
      const operation = `after a kill at operation ${point}: ${operations[point - 1]}`;
      const TMPDIR = tempDir();
      await killTrawl(purge(address), point, { ...env, TMPDIR });
      const between = await readFacts(address, env);
      expect(
        between.filter((fact) => others.includes(fact)),
        operation,
      ).toEqual(others);
      expect(await runProcess(purge(address), { env: { ...env, TMPDIR } }), operation).toMatchObject({ code: 0 });
      expect(await readFacts(address, env), operation).toEqual(expected);
      expect(
        readdirSync(TMPDIR).filter((name) => name.startsWith('trawl')),
        operation,
      ).toEqual([]);
      const left = await target.readFiles(address);
      expect([...left.keys()].toSorted(), operation).toEqual(files);
      expect(findTraces(left.values()), operation).toEqual([]);
    };
    const points = choosePoints(operations, KILLS, [target.change]);
    await Promise.all(points.map((point) => limit(() => kill(point))));
  },
  3_600_000,
);
