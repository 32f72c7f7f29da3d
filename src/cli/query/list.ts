import type { SavedQuery } from '#analysis/queries/saved-query.ts';
import { EXIT } from '#cli/shared/common-options.ts';
import { print, printJson, printNote, renderTable } from '#cli/terminal/print.ts';
import { openCatalogue } from './find-query.ts';

/** `trawl query list`. Returns the exit code: 1 if a file of a query is wrong. */
export async function printQueryList(word: string | undefined, { json }: { readonly json?: true }): Promise<number> {
  const { queries, problems } = openCatalogue().readAll();
  const found = queries
    .filter((query) => word === undefined || matches(query, word))
    .toSorted((a, b) => compareTexts(a.topic, b.topic) || compareTexts(a.name, b.name));
  if (json)
    printJson(found.map(({ name, title, topic, file, isBuiltIn }) => ({ name, title, topic, file, isBuiltIn })));
  else if (found.length > 0) print(renderQueries(found));
  if (found.length === 0) printNote(word === undefined ? 'there are no queries' : `no query has the text ${word}`);
  for (const problem of problems) printNote(problem);
  return problems.length > 0 ? EXIT.failed : EXIT.complete;
}

const matches = ({ name, title, topic }: SavedQuery, word: string): boolean =>
  [name, title, topic].some((text) => text.toLowerCase().includes(word.toLowerCase()));

const compareTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

function renderQueries(queries: readonly SavedQuery[]): string {
  const hasOwn = queries.some(({ isBuiltIn }) => !isBuiltIn);
  return renderTable(
    ['topic', 'query', 'question', ...(hasOwn ? ['file'] : [])],
    queries.map(({ topic, name, title, file, isBuiltIn }, i) => [
      // Each topic is named once.
      topic === queries[i - 1]?.topic ? '' : topic,
      name,
      title,
      ...(hasOwn ? [isBuiltIn ? '' : file] : []),
    ]),
  );
}
