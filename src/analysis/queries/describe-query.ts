import { quoteShellWord } from '#base/text.ts';
import { kindTable } from '#service/kinds/kinds.ts';
import {
  describeItems,
  describeLists,
  ITEMS,
  placeholderOf,
  optionOf,
  type ParameterType,
  type QueryNeed,
  type QueryParameter,
  type SavedQuery,
} from './saved-query.ts';

/** Descriptions of saved queries for the help, `trawl query show` and the documentation. */

const PLACEHOLDERS: Readonly<Record<ParameterType, string>> = {
  account: 'account',
  tweet: 'tweet',
  search: 'search',
  job: 'job',
  panel: 'panel',
  text: 'text',
  time: 'time',
  integer: 'n',
  choice: 'choice',
};

/** `--account <account>`. */
export const formatFlags = ({ name, type }: QueryParameter): string => `${optionOf(name)} <${PLACEHOLDERS[type]}>`;

/** The description of a parameter, with its choices, bounds and default. */
export function describeParameter({ description, values, min, max, default: given }: QueryParameter): string {
  const notes = [
    ...(values ? [values.join(', ')] : []),
    ...(min === undefined ? [] : [`from ${min}`]),
    ...(max === undefined ? [] : [`to ${max}`]),
    ...(given === undefined ? ['required'] : given === null ? [] : [`default: ${given}`]),
  ];
  return notes.length === 0 ? description : `${description} (${notes.join('; ')})`;
}

/** What a query needs, in words: `the followers of the account, complete`. */
export function describeNeed({ kinds, items, of, lists = 1 }: QueryNeed): string {
  const owner = of === undefined ? undefined : `\`${optionOf(of)}\``;
  if (items !== undefined) return describeItems(items, owner);
  return kinds
    .map((kind) => {
      const list = describeLists(kind, owner);
      if (owner === undefined) return list;
      if (lists === 0) return `${list}, or a part of it`;
      if (lists > 1) return `${list}, crawled ${lists} times or more`;
      return kindTable[kind].shape === 'paged list' ? `${list}, complete` : list;
    })
    .join('; or ');
}

/** The arguments of `trawl` that meet a need; undefined for one that no command meets. */
export function formatNeededCommand({ kinds, items, of }: QueryNeed): string | undefined {
  if (items === 'checks') return `recheck tweets${of === undefined ? '' : ` --accounts <${of}>`}`;
  const needed = kinds[0] ?? ITEMS[items!].kind;
  return needed && `crawl ${needed} ${of === undefined ? placeholderOf(needed) : `<${of}>`}`;
}

/** The arguments of `trawl query run` with the example of a query. */
export const formatExample = ({ name, example }: SavedQuery): string =>
  [name, ...Object.entries(example).flatMap(([key, value]) => [optionOf(key), quoteShellWord(String(value))])].join(
    ' ',
  );
