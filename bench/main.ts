import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { allFigures } from './figures.ts';
import { describeMachine } from './machine.ts';
import { compile } from './processes.ts';
import { formatJson, judge, formatMarkdown, type Report, formatTable } from './report.ts';
import { FULL_ROUNDS, type Measured, type Setting } from './scene.ts';
import { scenes } from './scenes.ts';

/** `npm run bench`: measures and reports. Exits with 1 if a bar is missed or a scene failed. */

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const RESULTS = here('RESULTS.md');
const names = scenes.map(({ name }) => name).join(', ');

const HELP = `Usage: npm run bench -- [options]

  --quick         fewer pages and rounds, about two minutes, for a first impression
  --only <part>   scenes whose name contains this; repeatable
  --reps <n>      rounds of each variant (${FULL_ROUNDS}; quick: 1)
  --json          one JSON document on stdout instead of the table
  --write         write bench/RESULTS.md
  --dist <dir>    another build of trawl to measure: bench/.built/src of another checkout, after its npm run bench
  --dir <dir>     the directory of databases (the system's temporary directory)

Scenes: ${names}
`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [''] },
    reps: { type: 'string' },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    dist: { type: 'string', default: here('.built/src') },
    dir: { type: 'string', default: tmpdir() },
    help: { type: 'boolean', default: false },
  },
});

const chosen = scenes.filter(({ name }) => values.only.some((part) => name.includes(part)));

const log = (line: string): void => void process.stderr.write(`${line}\n`);

async function measureAll(directory: string): Promise<{ report: Report; failed: number }> {
  const { quick, dist } = values;
  const rounds = values.reps === undefined ? undefined : Number(values.reps);
  const setting: Setting = { dist, directory, rounds, quick, log };
  const measured: Measured[] = [];
  let failed = 0;
  const hasRedisServer = ['redis-server', 'valkey-server'].some((name) => spawnSync(name, ['--version']).status === 0);
  for (const { name, measure, needsRedisServer } of chosen) {
    if (needsRedisServer && !hasRedisServer) {
      measured.push({
        ...{ figures: {}, notes: {} },
        missing: [`${name}: skipped, it needs redis-server, which is not installed`],
      });
      continue;
    }
    try {
      measured.push(await measure(setting));
    } catch (error) {
      failed += 1;
      log(`${name} failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const mergeResults = <K extends 'figures' | 'notes'>(key: K): Measured[K] =>
    Object.assign({}, ...measured.map((each) => each[key])) as Measured[K];
  const figures = mergeResults('figures');
  const indicative = new Set(measured.flatMap((each) => each.indicative ?? []));
  const judgedFigures = allFigures.flatMap((figure) => {
    const measurement = figures[figure.name];
    return measurement ? [judge(figure, measurement, indicative.has(figure.name))] : [];
  });
  const options = [
    ...(quick ? ['--quick'] : []),
    ...(rounds === undefined ? [] : [`--reps ${rounds}`]),
    ...values.only.filter(Boolean).map((part) => `--only ${part}`),
  ];
  const command = ['npm run bench', ...(options.length > 0 ? ['--', ...options] : [])].join(' ');
  const missing = measured.flatMap((each) => each.missing ?? []);
  return {
    report: {
      machine: describeMachine(),
      command,
      quick,
      judgedFigures,
      notes: mergeResults('notes'),
      missing,
    },
    failed,
  };
}

async function main(): Promise<void> {
  if (values.help) return void process.stdout.write(HELP);
  if (values.write && values.only.some(Boolean)) {
    log('--write records all figures: leave --only out');
    process.exitCode = 2;
    return;
  }
  if (chosen.length === 0) {
    log(`no scene has ${values.only.join(' or ')} in its name; the scenes are: ${names}`);
    process.exitCode = 2;
    return;
  }
  compile();
  const directory = mkdtempSync(join(values.dir, 'trawl-bench-'));
  try {
    const { report, failed } = await measureAll(directory);
    const { judgedFigures, missing, quick } = report;
    process.stdout.write(`${values.json ? formatJson(report) : formatTable(judgedFigures)}\n`);
    for (const line of missing) log(line);
    if (quick) log('a quick run: fewer pages and rounds than the figures are meant for');
    if (values.write)
      writeFileSync(RESULTS, formatMarkdown(report, existsSync(RESULTS) ? readFileSync(RESULTS, 'utf8') : ''));
    if (failed > 0 || judgedFigures.some(({ holds }) => !holds)) process.exitCode = 1;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

await main();
