import { existsSync } from 'node:fs';
import { TrawlError } from '../../errors.ts';
import { openDatabase } from '../../store/sqlite/database.ts';
import type { WorldChanges } from '../../world/step/changes.ts';
import { stepWorld, type WorldStep } from '../../world/step/step-world.ts';
import type { CommonOptions } from '../shared/common-options.ts';
import { formatCount, pluralize, print } from '../terminal/print.ts';

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
      hint: 'Create a world with `trawl world create --db <file>`.',
    });
  }
  using db = openDatabase(file);
  return stepWorld({ db, days, seed });
}

const EXAMPLES = 3;

/** Returns the length of a list and its first items. */
const withExamples = <T>(items: readonly T[], format: (item: T) => string): string =>
  items.length === 0
    ? '0'
    : `${formatCount(items.length)}: ${items.slice(0, EXAMPLES).map(format).join(', ')}${items.length > EXAMPLES ? ', …' : ''}`;

const COUNTED: readonly (readonly [name: string, value: (changes: WorldChanges) => string])[] = [
  ['new tweets', ({ tweets }) => withExamples(tweets, String)],
  ['new replies', ({ replies }) => withExamples(replies, String)],
  ['edited tweets', ({ edits }) => withExamples(edits, String)],
  ['deleted tweets', ({ deletions }) => withExamples(deletions, String)],
  ['follows', ({ follows }) => formatCount(follows.length)],
  ['unfollows', ({ unfollows }) => formatCount(unfollows.length)],
  ['renames', ({ renames }) => withExamples(renames, ({ from, to }) => `${from} -> ${to}`)],
  [
    'taken handles',
    ({ renames }) =>
      withExamples(
        renames.filter(({ isTaken }) => isTaken),
        ({ to }) => to,
      ),
  ],
  ['profiles', ({ profiles }) => formatCount(profiles.length)],
  ['suspended', ({ suspensions }) => withExamples(suspensions, ({ screenName }) => screenName)],
  [
    'other counts',
    ({ tweetCounts, userCounts }) =>
      `${pluralize(tweetCounts.length, 'tweet')}, ${pluralize(userCounts.length, 'account')}`,
  ],
];

/** Formats a step as lines of text. */
export function formatStep(file: string, { from, to, days, seed, changes }: WorldStep): string {
  const day = (time: string): string => time.slice(0, 10);
  const width = Math.max(...COUNTED.map(([name]) => name.length)) + 2;
  return [
    `${file}: ${pluralize(days, 'day')} by seed ${seed}, from ${day(from)} to ${day(to)}`,
    ...COUNTED.map(([name, value]) => `  ${name.padEnd(width)}${value(changes)}`),
  ].join('\n');
}
