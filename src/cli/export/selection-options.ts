import { randomInt } from 'node:crypto';
import type { Command } from 'commander';
import { UsageError } from '#base/errors.ts';
import { fromFileOption, listParser, parseInstant, parseIntegerFrom, parseSince } from '#cli/shared/common-options.ts';
import { panelOption } from '#cli/shared/crawl-options.ts';
import { type EvidenceOptions, olderThanOption } from '#cli/shared/evidence-options.ts';
import type { Selection } from '#files/export/row-selection.ts';

/** The options that select rows. Times are milliseconds UTC. */
export interface SelectionOptions extends EvidenceOptions {
  readonly since?: number;
  readonly until?: number;
  readonly accounts?: readonly string[] | undefined;
  readonly fromFile?: string | undefined;
  readonly panel?: string | undefined;
  readonly includeDeleted?: true;
}

export interface SampleOptions {
  readonly sample?: number;
  readonly seed?: string;
}

export const addSelectionOptions = <C extends Command>(command: C): C =>
  addAccountOptions(
    command
      .option('--since <day>', 'only items of this day or time and later, or an age such as 30d', parseSince)
      .option('--until <day>', 'only items before this day (at 00:00 UTC) or time', parseInstant),
  )
    .option('--include-deleted', 'also export deleted tweets and accounts that the service no longer shows')
    .addOption(olderThanOption());

/** Adds the options that name accounts. @param what the selected items, before the accounts in the help */
export const addAccountOptions = <C extends Command>(command: C, what = 'rows of '): C =>
  command
    .option(
      '--accounts <list>',
      `only ${what}these accounts, separated by commas: nasa, @nasa, id:11348282 or a URL`,
      listParser,
    )
    .addOption(fromFileOption())
    .addOption(panelOption(`only ${what}the members of a panel`));

export const addSampleOptions = <C extends Command>(command: C): C =>
  command
    .option('--sample <n>', 'a random sample of n rows', parseIntegerFrom(1))
    .option('--seed <seed>', 'draw the same sample again (default: a new one, which is printed)');

/**
 * Returns the selection of options, without its accounts: `findAccounts` finds those. A sample without a seed gets a random one.
 * @throws UsageError for options that contradict each other
 */
export function readSelection(options: SelectionOptions & SampleOptions): Selection {
  const { since, until, sample: size, seed, includeDeleted, olderThan } = options;
  if (since !== undefined && until !== undefined && since >= until)
    throw new UsageError('--since is not before --until');
  if (seed !== undefined && size === undefined) throw new UsageError('--seed needs --sample');
  const sample = size === undefined ? undefined : { size, seed: seed ?? String(randomInt(1e9)) };
  return { since, until, sample, includeDeleted, olderThan };
}
