import { Command, Option } from 'commander';
import { describeParameter, formatExample, formatFlags } from '../../analysis/queries/describe-query.ts';
import type { SavedQuery } from '../../analysis/queries/saved-query.ts';
import { prepareCommand } from '../prepare-command.ts';
import { dbOption } from '../shared/common-options.ts';
import { olderThanOption } from '../shared/evidence-options.ts';
import { addOutputOptions } from '../sql/output-options.ts';
import { formatCommand } from '../terminal/print.ts';
import { type QueryRunOptions, STATEMENTS } from './run-options.ts';

/** The values of parameters as they were typed, by name. */
type TypedValues = Readonly<Record<string, string>>;

/** A command line of `trawl query run`, after the name of the query. */
interface QueryCommandLine {
  readonly values: TypedValues;
  readonly options: QueryRunOptions;
}

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
    .addHelpText('after', `\nExample:\n  ${example}\n\n${STATEMENTS}`);
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
export function parseQueryCommand(query: SavedQuery, words: readonly string[], outer: Command): QueryCommandLine {
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
