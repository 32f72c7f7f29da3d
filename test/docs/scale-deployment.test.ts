import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { buildProgram } from '#cli/program.ts';
import { parseS3Address, readS3Settings } from '#files/s3/s3-settings.ts';

/** No engine runs docker-compose.scale.yml here. What it is made of is held together instead. */

const root = resolve(import.meta.dirname, '../..');

interface Service {
  readonly image?: string;
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly read_only?: boolean;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: object;
}

const { services, volumes } = parse(readFileSync(join(root, 'docker-compose.scale.yml'), 'utf8'), {
  merge: true,
}) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};
const named = (pattern: RegExp): Service[] =>
  Object.entries(services).flatMap(([name, service]) => (pattern.test(name) ? [service] : []));
const hosts = named(/^host-/);

test('one of three hosts has the database; the others are alike, and have none', () => {
  expect(hosts).toHaveLength(3);
  expect(hosts.map(({ environment }) => environment!['DATABASE'])).toEqual(['here', 'elsewhere', 'elsewhere']);
  const [one, ...others] = hosts.map(({ environment, volumes: own, ...rest }) => ({
    ...rest,
    environment: {
      ...environment,
      DATABASE: '',
    },
    shared: own!.filter((each) => each.endsWith(':ro')),
  }));
  for (const other of others) expect(other).toEqual(one);
  const databases = hosts.flatMap(({ volumes: own }) => own!.filter((each) => each.endsWith(':/data')));
  expect(databases).toEqual(['host-1:/data']);
  for (const { read_only: isReadOnly } of [...hosts, services['twin']!]) expect(isReadOnly).toBe(true);
});

test('each volume and dependency is declared, and what others wait for has a health check', () => {
  const all = Object.values(services);
  const used = all.flatMap((service) => service.volumes ?? []).map((each) => each.split(':')[0]!);
  expect(new Set(used)).toEqual(new Set(Object.keys(volumes)));
  const waits = all.flatMap(({ depends_on: awaited = {} }) => Object.entries(awaited));
  expect(waits.length).toBeGreaterThan(10);
  const unchecked = waits.filter(([name]) => !services[name]!.healthcheck);
  expect(waits.filter(([, { condition }]) => condition !== 'service_healthy')).toEqual(unchecked);
  for (const [name, { condition }] of unchecked)
    expect([name, condition]).toEqual(['redis-cluster', 'service_completed_successfully']);
});

test('scripts are valid, and use commands and options that exist', () => {
  const commands = new Map<string, Command>();
  const add = (command: Command, path: string): void => {
    commands.set(path, command);
    for (const child of command.commands) add(child, `${path} ${child.name()}`.trim());
  };
  add(buildProgram(), '');
  const scripts = Object.values(services).flatMap(({ entrypoint, command = [] }) =>
    entrypoint?.[0] === 'sh' ? command : [],
  );
  expect(scripts.length).toBeGreaterThan(5);
  let calls = 0;
  for (const script of scripts) {
    // Compose replaces `$$` by `$`.
    const text = script.replaceAll('$$', '$');
    expect(spawnSync('sh', ['-n', '-c', text], { encoding: 'utf8' }).stderr).toBe('');
    for (const [, words] of text.matchAll(/^\s*(?:exec node \/app\/bin\/trawl\.js|trawl) (?!\()([^\n"]*)/gm)) {
      const path = [3, 2, 1]
        .map((count) => words!.trim().split(' ').slice(0, count).join(' '))
        .find((each) => commands.has(each));
      expect(path, words).toBeDefined();
      const options = commands.get(path!)!.options.map(({ long }) => long);
      for (const [option] of words!.matchAll(/--[a-z-]+/g)) expect(options, words).toContain(option);
      calls += 1;
    }
  }
  expect(calls).toBeGreaterThan(12);
});

test('hosts have the key of the S3 server, and no port is open to other machines', async () => {
  const server = services['s3']!;
  for (const { environment } of hosts) {
    const settings = readS3Settings(parseS3Address('s3://lake/trawl'), environment!);
    expect(settings.url).toBe('http://s3:7070/lake');
    expect(await settings.readKeys()).toMatchObject({
      accessKeyId: server.environment!['ROOT_ACCESS_KEY'],
      secretAccessKey: server.environment!['ROOT_SECRET_KEY'],
    });
  }
  for (const { ports = [] } of Object.values(services))
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
});
