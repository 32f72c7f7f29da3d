import { existsSync } from 'node:fs';
import { TrawlError } from '#base/errors.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { formatCount, formatDay, pluralize, print } from '#cli/terminal/print.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { stepWorld, type WorldStep } from '#twin/world/step/step-world.ts';

interface StepCommandOptions extends CommonOptions {
  readonly days: number;
  readonly seed: number;
}

/** Advances the world in a file, and prints the changes. */
export async function stepWorldFile(options: StepCommandOptions): Promise<void> {
  const step = takeStep(options);
  print(options.json ? JSON.stringify(step) : formatStep(options.db, step));
}

function takeStep({ db: file, days, seed }: StepCommandOptions): WorldStep {
  if (!existsSync(file)) {
    throw new TrawlError(`there is no database ${file}`, {
      hint: 'Create a world with `trawl twin world create --db <file>`.',
    });
  }
  using db = openDatabase(file);
  return stepWorld({ db, days, seed });
}

/** Formats a step as lines of text: the number of changes of each kind. */
export function formatStep(file: string, { from, to, days, seed, changes }: WorldStep): string {
  const lines = Object.entries(changes).map(([name, items]: [string, readonly unknown[]]) => {
    const label = name.replace(/[A-Z]/, (letter) => ` ${letter.toLowerCase()}`);
    return `  ${label.padEnd(13)}${formatCount(items.length)}`;
  });
  return [
    `${file}: ${pluralize(days, 'day')} by seed ${seed}, from ${formatDay(from)} to ${formatDay(to)}`,
    ...lines,
    '--json names them.',
  ].join('\n');
}
