import { Command, Option } from 'commander';
import { describeParameter, formatExample, formatFlags } from '#analysis/queries/describe-query.ts';
import { describeNoRows, isCollectable, isUnchecked, type MissingData } from '#analysis/queries/missing-data.ts';
import { prepareRun } from '#analysis/queries/prepare-run.ts';
import { optionOf, type SavedQuery } from '#analysis/queries/saved-query.ts';
import { systemClock } from '#base/clock.ts';
import { UsageError } from '#base/errors.ts';
import { prepareCommand } from '#cli/prepare-command.ts';
import { EXIT, dbOption } from '#cli/shared/common-options.ts';
import { type EvidenceOptions, olderThanOption, MISSING_DATA_HELP } from '#cli/shared/evidence-options.ts';
import { readStore } from '#cli/shared/existing-store.ts';
import { addOutputOptions, type OutputOptions } from '#cli/sql/output-options.ts';
import { runStatement } from '#cli/sql/run-statement.ts';
import { hint, printNote, formatCommand } from '#cli/terminal/print.ts';
import { type IdentityKind, isIdentity } from '#files/export/pseudonyms/pseudonymiser.ts';
import { findQuery } from './find-query.ts';

interface QueryRunOptions extends OutputOptions, EvidenceOptions {
  readonly db: string;
}

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

const PARAMETERS = 'Parameters:';

/** Builds the command of a saved query: its parameters are options. Values are checked when they are bound. */
export function createQueryCommand(query: SavedQuery): Command {
  const { name, title, description, parameters } = query;
  const command = new Command(`trawl query run ${name}`)
    .usage('[parameters] [options]')
    .description(`${title}\n\n${description}`);
  for (const parameter of parameters) command.addOption(createOption(parameter));
  if (query.needs.some(({ items }) => items === 'checks')) command.addOption(olderThanOption());
  addOutputOptions(command.addOption(dbOption()));
  prepareCommand(command);
  const example = formatCommand('query run', formatExample(query));
  return command
    .showHelpAfterError(`  Example: ${example}`)
    .addHelpText('after', `\nExample:\n  ${example}\n\n${MISSING_DATA_HELP}`);
}

function createOption(parameter: SavedQuery['parameters'][number]): Option {
  const option = new Option(formatFlags(parameter), describeParameter({ ...parameter, values: undefined }));
  // For the help and the completion.
  if (parameter.values) option.argChoices = [...parameter.values];
  return option.helpGroup(PARAMETERS);
}

/**
 * Parses the words after the name of a query. Options that were typed before the name count, too. @param outer `trawl query run`
 * @throws CommanderError for a wrong option, or after the help
 */
function parseQueryCommand(query: SavedQuery, words: readonly string[], outer: Command) {
  const command = createQueryCommand(query);
  for (const [key, value] of Object.entries(outer.opts())) {
    const source = outer.getOptionValueSource(key);
    if (source === 'cli') command.setOptionValueWithSource(key, value, source);
  }
  command.parse([...words], { from: 'user' });
  const options = command.opts<QueryRunOptions & Record<string, string>>();
  const names = query.parameters.map(({ name }) => name);
  const keys = command.options.filter(({ helpGroupHeading }) => helpGroupHeading === PARAMETERS);
  const typed = names.flatMap((name, i) => {
    const value = options[keys[i]!.attributeName()];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { values: Object.fromEntries(typed), options };
}
