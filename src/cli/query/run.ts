import type { Command } from 'commander';
import { describeNoRows, isCollectable, isUnchecked, type MissingData } from '../../analysis/queries/missing-data.ts';
import { prepareRun } from '../../analysis/queries/prepare-run.ts';
import { optionOf, type SavedQuery } from '../../analysis/queries/saved-query.ts';
import { systemClock } from '../../base/clock.ts';
import { UsageError } from '../../base/errors.ts';
import { type IdentityKind, isIdentity } from '../../files/export/pseudonyms/pseudonymiser.ts';
import { EXIT } from '../shared/common-options.ts';
import { readStore } from '../shared/existing-store.ts';
import { runStatement } from '../sql/run-statement.ts';
import { hint, printNote } from '../terminal/print.ts';
import { findQuery } from './find-query.ts';
import { parseQueryCommand } from './query-command.ts';

/**
 * `trawl query run`. Returns the exit code: 3 if data that the query needs was not collected, or if tweets were not checked for
 * the age that was given.
 */
export async function runNamedQuery(
  name: string,
  words: readonly string[],
  _: object,
  command: Command,
): Promise<number> {
  const query = findQuery(name);
  const { values, options } = parseQueryCommand(query, words, command);
  const { db, olderThan } = options;
  const { bound, missing, notes, origin, chart } = await readStore(db, (store) =>
    prepareRun(store, query, values, { now: systemClock.now(), olderThan }),
  );
  for (const note of notes) printNote(note);
  for (const each of missing) printNote(formatMissingData(each));
  const known = options.pseudonymise && { identities: findIdentities(query, bound), hasEmptyColumns: query.isBuiltIn };
  const statement = { db, sql: query.sql, parameters: bound, ...(known && { known }), chart };
  const { rows } = await runStatement({ ...statement, query: origin }, options);
  if (rows === 0) printNote(describeNoRows(missing));
  const isPartial = missing.some(isCollectable) || (olderThan !== undefined && missing.some(isUnchecked));
  return isPartial ? EXIT.partial : EXIT.complete;
}

type Values = Readonly<Record<string, string | number | null>>;

/** The parameters that are compared with pseudonyms. @throws UsageError for a text, which has none */
function findIdentities({ parameters }: SavedQuery, bound: object): Record<string, IdentityKind> {
  const given = parameters.filter(({ name }) => (bound as Values)[name] !== null);
  const text = given.find(({ type }) => type === 'text');
  if (text !== undefined) {
    throw new UsageError(`${optionOf(text.name)} cannot be compared with pseudonyms`, {
      hint: 'Run the query without --pseudonymise, or write the rows of another one.',
    });
  }
  return Object.fromEntries(given.flatMap(({ name, type }) => (isIdentity(type) ? [[name, type]] : [])));
}

/** What a command does about a state. */
const RESULTS: Partial<Record<MissingData['state'], string>> = {
  'collected in part': 'collects more',
  'not checked': 'checks them',
};

/** A description of missing data, with the command that collects it on a second line. */
const formatMissingData = ({ state, sentence, command }: MissingData): string =>
  command === null ? sentence : `${sentence}\n  ${hint(command)} ${RESULTS[state] ?? 'collects it'}`;
