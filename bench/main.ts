import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { allFigures, type Figure } from './figures.ts';
import { describeMachine } from './machine.ts';
import { compile, findRedisServer } from './processes.ts';
import { formatJson, judge, formatMarkdown, formatMissing, type Report, formatTable } from './report.ts';
import { FULL_ROUNDS, type Measured, type Scene, type Setting } from './scene.ts';
import { scenes } from './scenes.ts';

/** `npm run bench`: measures and reports. Exits with 1 if a bar is missed or a scene failed. */

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const RESULTS = here('RESULTS.md');
const names = scenes.map(({ name, onlyByName }) => (onlyByName ? `${name} (only by name)` : name)).join(', ');

const HELP = `Usage: npm run bench -- [options]

  --quick         fewer pages and rounds, less than two minutes, for a first impression
  --only <part>   scenes whose name contains this; repeatable
  --reps <n>      rounds of each variant (${FULL_ROUNDS}; quick: 1)
  --edges <n>     edges of the scene merge (5,000,000)
  --json          one JSON document on stdout instead of the table
  --write         write bench/RESULTS.md
  --against <dir> another checkout, after its npm run build, whose CPU per page is compared with this one's
  --dir <dir>     the directory of databases (the system's temporary directory)

Scenes: ${names}
`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    reps: { type: 'string' },
    edges: { type: 'string' },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    against: { type: 'string' },
    dir: { type: 'string', default: tmpdir() },
    help: { type: 'boolean', default: false },
  },
});

const chosen = scenes.filter(({ name, onlyByName }) =>
  values.only.length === 0 ? !onlyByName : values.only.some((part) => name.includes(part)),
);

const log = (line: string): void => void process.stderr.write(`${line}\n`);

/** Measures a scene. If it cannot run or fails, none of its figures are measured. */
async function measureScene(scene: Scene, setting: Setting): Promise<Measured & { readonly failed?: true }> {
  const withoutFigures = (reason: string): Measured => ({
    figures: {},
    notes: {},
    missing: Object.fromEntries(figuresOf(scene).map(({ name }) => [name, reason])),
  });
  const reason = scene.skip?.(setting);
  if (reason !== undefined) return withoutFigures(reason);
  try {
    return await scene.measure(setting);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ...withoutFigures(`failed: ${message}`), failed: true };
  }
}

const figuresOf = ({ name }: Scene): readonly Figure[] => allFigures.filter(({ scene }) => scene === name);

async function measureAll(directory: string): Promise<{ report: Report; failed: boolean }> {
  const { quick } = values;
  const rounds = values.reps === undefined ? undefined : Number(values.reps);
  const against = values.against === undefined ? undefined : compile(resolve(values.against));
  const edges = values.edges === undefined ? undefined : Number(values.edges);
  const setting: Setting = { dist: compile(), directory, rounds, quick, edges, against, log };
  const measured: (Measured & { readonly failed?: true })[] = [];
  for (const scene of chosen) measured.push(await measureScene(scene, setting));
  const mergeResults = <K extends 'figures' | 'notes' | 'missing'>(key: K): NonNullable<Measured[K]> =>
    Object.assign({}, ...measured.map((each) => each[key])) as NonNullable<Measured[K]>;
  const figures = mergeResults('figures');
  const reasons = mergeResults('missing');
  const indicative = new Set(measured.flatMap((each) => each.indicative ?? []));
  const expected = chosen.flatMap(figuresOf);
  const options = [
    ...(quick ? ['--quick'] : []),
    ...(rounds === undefined ? [] : [`--reps ${rounds}`]),
    ...values.only.map((part) => `--only ${part}`),
    ...(edges === undefined ? [] : [`--edges ${edges}`]),
    ...(against === undefined ? [] : ['--against <dir>']),
  ];
  return {
    report: {
      machine: describeMachine(),
      command: ['npm run bench', ...(options.length > 0 ? ['--', ...options] : [])].join(' '),
      quick,
      judgedFigures: expected.flatMap((figure) => {
        const measurement = figures[figure.name];
        return measurement ? [judge(figure, measurement, indicative.has(figure.name))] : [];
      }),
      notes: mergeResults('notes'),
      missing: expected
        .filter(({ name }) => figures[name] === undefined)
        .map(({ name, title }) => ({ name, title, reason: reasons[name] ?? 'not measured' })),
    },
    failed: measured.some((each) => each.failed),
  };
}

async function main(): Promise<void> {
  if (values.help) return void process.stdout.write(HELP);
  if (values.write && values.only.length > 0) {
    log('--write records all figures: leave --only out');
    process.exitCode = 2;
    return;
  }
  if (chosen.length === 0) {
    log(`no scene has ${values.only.join(' or ')} in its name; the scenes are: ${names}`);
    process.exitCode = 2;
    return;
  }
  if (!findRedisServer())
    log('no redis-server is installed: the queue uses the built-in one, which takes CPU of trawl');
  const directory = mkdtempSync(join(values.dir, 'trawl-bench-'));
  try {
    const { report, failed } = await measureAll(directory);
    const { judgedFigures, missing, quick } = report;
    process.stdout.write(`${values.json ? formatJson(report) : formatTable(judgedFigures)}\n`);
    for (const line of formatMissing(missing)) log(line);
    if (quick) log('a quick run: fewer pages and rounds than the figures are meant for');
    if (values.write)
      writeFileSync(RESULTS, formatMarkdown(report, existsSync(RESULTS) ? readFileSync(RESULTS, 'utf8') : ''));
    if (failed || judgedFigures.some(({ holds }) => !holds)) process.exitCode = 1;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

await main();
