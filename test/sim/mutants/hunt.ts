import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Mutant, MUTANTS } from './mutants.ts';

const root = resolve(import.meta.dirname, '..', '..', '..');
/** Inside the tree, so that packages are resolved; outside of what is versioned, tested and built. */
const place = join(root, 'node_modules', '.cache', 'trawl-mutants');

export interface Caught {
  readonly mutant: Mutant;
  /** The seed that found it; undefined if none did. */
  readonly seed: number | undefined;
  readonly invariants: string;
}

/** Plants each mutant in a copy of the sources, and simulates until it is found or the seeds are used up. */
export async function hunt(options: {
  readonly seeds: number;
  readonly workers: number;
  readonly only?: string | undefined;
  readonly onCaught: (caught: Caught) => void;
}): Promise<Caught[]> {
  const waiting = MUTANTS.filter(({ name }) => options.only === undefined || name.includes(options.only));
  const all: Caught[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const caught = await catchOne(next, options.seeds);
      options.onCaught(caught);
      all.push(caught);
    }
  };
  await Promise.all(Array.from({ length: options.workers }, work));
  return all;
}

async function catchOne(mutant: Mutant, seeds: number): Promise<Caught> {
  const folder = join(place, `${process.pid}-${MUTANTS.indexOf(mutant)}`);
  try {
    plant(mutant, folder);
    const args = [
      '--import',
      'tsx',
      join(folder, 'test/sim/main.ts'),
      '--seeds',
      String(seeds),
      '--workers',
      '1',
      '--first',
    ];
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (said += text));
    await once(child, 'close');
    const [, seed, invariants = ''] = /failed: (\d+) \(([^)]*)\)/.exec(said) ?? [];
    if (seed === undefined && !/\d+ seeds, 0 failures/.test(said))
      throw new Error(`${mutant.name}: ${said.slice(-2000)}`);
    return { mutant, seed: seed === undefined ? undefined : Number(seed), invariants };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the file that a mutant no longer fits. */
const misfitOf = ({ file, edits }: Mutant): string | undefined =>
  edits
    .map(([from, , other = file]) => ({ from, path: other }))
    .find(({ from, path }) => readFileSync(join(root, 'src', path), 'utf8').split(from).length !== 2)?.path;

function plant(mutant: Mutant, folder: string): void {
  const misfit = misfitOf(mutant);
  if (misfit) throw new Error(`"${mutant.name}" does not fit ${misfit}, which has changed: mend the mutant.`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const each of ['src', 'test/sim', 'test/support', 'migrations', 'package.json', 'tsconfig.json']) {
    cpSync(join(root, each), join(folder, each), { recursive: true });
  }
  for (const [from, to, other = mutant.file] of mutant.edits) {
    const path = join(folder, 'src', other);
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(from, () => to),
    );
  }
}
