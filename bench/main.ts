import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { allFigures } from './figures.ts';
import { machine } from './machine.ts';
import { compile } from './processes.ts';
import { json, judge, markdown, type Report, table } from './report.ts';
import { FULL_ROUNDS, type Measured, type Setting } from './scene.ts';
import { scenes } from './scenes.ts';

/** `npm run bench`: measures, judges and tells. Exits with 1 when a bar is missed or a scene failed. */

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const RESULTS = here('RESULTS.md');
const names = scenes.map(({ name }) => name).join(', ');

const HELP = `Usage: npm run bench -- [options]

  --quick         fewer pages and rounds, about two minutes: to see where one is
  --only <part>   scenes whose name has this in it; may be repeated
  --reps <n>      rounds of each variant (${FULL_ROUNDS}; quick: 1)
  --json          one JSON document on stdout instead of the table
  --write         write bench/RESULTS.md
  --dist <dir>    another built trawl to measure
  --dir <dir>     where databases are made (the system's temporary directory)

Scenes: ${names}
`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [''] },
    reps: { type: 'string' },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    dist: { type: 'string', default: here('../dist') },
    dir: { type: 'string', default: tmpdir() },
    help: { type: 'boolean', default: false },
  },
});

const chosen = scenes.filter(({ name }) => values.only.some((part) => name.includes(part)));

const tell = (line: string): void => void process.stderr.write(`${line}\n`);

async function measureAll(directory: string): Promise<{ report: Report; failed: number }> {
  const { quick, dist } = values;
  const rounds = values.reps === undefined ? undefined : Number(values.reps);
  const setting: Setting = { dist, directory, rounds, quick, tell };
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
      tell(`${name} failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const merged = <K extends 'figures' | 'notes'>(key: K): Measured[K] =>
    Object.assign({}, ...measured.map((each) => each[key])) as Measured[K];
  const found = merged('figures');
  const indicative = new Set(measured.flatMap((each) => each.indicative ?? []));
  const judged = allFigures.flatMap((figure) => {
    const seen = found[figure.name];
    return seen ? [judge(figure, seen, indicative.has(figure.name))] : [];
  });
  const words = [
    ...(quick ? ['--quick'] : []),
    ...(rounds === undefined ? [] : [`--reps ${rounds}`]),
    ...values.only.filter(Boolean).map((part) => `--only ${part}`),
  ];
  const command = ['npm run bench', ...(words.length > 0 ? ['--', ...words] : [])].join(' ');
  const missing = measured.flatMap((each) => each.missing ?? []);
  return { report: { machine: machine(), command, quick, judged, notes: merged('notes'), missing }, failed };
}

async function main(): Promise<void> {
  if (values.help) return void process.stdout.write(HELP);
  if (values.write && values.only.some(Boolean)) {
    tell('--write records all figures: leave --only out');
    process.exitCode = 2;
    return;
  }
  if (chosen.length === 0) {
    tell(`there is no scene with ${values.only.join(' or ')} in its name; there are: ${names}`);
    process.exitCode = 2;
    return;
  }
  compile();
  const directory = mkdtempSync(join(values.dir, 'trawl-bench-'));
  try {
    const { report, failed } = await measureAll(directory);
    const { judged, missing, quick } = report;
    process.stdout.write(`${values.json ? json(report) : table(judged)}\n`);
    for (const line of missing) tell(line);
    if (quick) tell('a quick run: fewer pages and rounds than the figures are meant for');
    if (values.write)
      writeFileSync(RESULTS, markdown(report, existsSync(RESULTS) ? readFileSync(RESULTS, 'utf8') : ''));
    if (failed > 0 || judged.some(({ holds }) => !holds)) process.exitCode = 1;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

await main();
