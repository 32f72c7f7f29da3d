import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readCatalogue } from '#analysis/queries/catalogue.ts';
import { describeNeed, describeParameter, formatExample } from '#analysis/queries/describe-query.ts';
import { optionOf, type SavedQuery } from '#analysis/queries/saved-query.ts';

/** Writes docs/reference/queries.md from the files in queries/. */

export const PAGE = join(resolve(import.meta.dirname, '..'), 'docs/reference/queries.md');

/** The topics of the built-in queries, in the order of the page. Others follow. */
const TOPICS = ['People', 'Tweets', 'Hashtags', 'Conversations', 'Searches', 'Jobs', 'Coverage and cost'];

const HEADER = `# Saved queries

Generated from \`queries/*.sql\` by \`npm run docs:queries\`: edit those, not this page. \`trawl query run\` answers a query, and
\`trawl query show\` prints its statement, and the commands that crawl what it needs. [Questions](../questions.md) describes parameters, missing data and your own queries.
`;

/** Returns the page with the present queries. @throws Error for a file that is wrong */
export function renderQueries(): string {
  const { queries, problems } = readCatalogue().readAll();
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const topics = [...new Set([...TOPICS, ...queries.map(({ topic }) => topic)])].flatMap((topic) => {
    const ofTopic = queries.filter((query) => query.topic === topic);
    return ofTopic.length === 0 ? [] : [[`## ${topic}`, ...ofTopic.map(formatQuery)].join('\n\n')];
  });
  return `${[HEADER.trimEnd(), ...topics].join('\n\n')}\n`;
}

function formatQuery(query: SavedQuery): string {
  const { name, title, description, parameters, needs, chart } = query;
  const options = parameters.map(
    (parameter) => `- \`${optionOf(parameter.name)}\` (${parameter.type}): ${describeParameter(parameter)}`,
  );
  return [
    `### ${name}`,
    `**${title}** ([SQL](../../queries/${name}.sql))`,
    description,
    ...(options.length === 0 ? [] : [options.map(oneLine).join('\n')]),
    ...(needs.length === 0 ? [] : [`Needs ${needs.map(describeNeed).join('; ')}.`]),
    ...(chart === undefined ? [] : [`Drawn as ${chart.mark}: \`${chart.y}\` by \`${chart.x}\`.`]),
    `\`\`\`sh\nnpx trawl query run ${formatExample(query)}\n\`\`\``,
  ].join('\n\n');
}

const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ');

if (process.argv[1] === import.meta.filename) writeFileSync(PAGE, renderQueries());
