import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readCatalogue } from '../src/queries/catalogue.ts';
import { describeNeed, describeParameter, formatExample, formatNeededCommand } from '../src/queries/describe-query.ts';
import { optionOf, type SavedQuery } from '../src/queries/saved-query.ts';

/** Writes the contents and the questions of docs/queries.md from the files in queries/. */

export const PAGE = join(resolve(import.meta.dirname, '..'), 'docs', 'queries.md');

/** The topics of the built-in queries, in the order of the page. Others follow. */
const TOPICS = ['People', 'Tweets', 'Hashtags', 'Conversations', 'Searches', 'Jobs', 'Coverage and cost'];

const START = '<!-- The rest of this page is generated from queries/*.sql by `npm run docs:queries`: edit those. -->';

/** Returns the page with the present queries. @throws Error for a file that is wrong */
export function renewedPage(page: string): string {
  const { queries, problems } = readCatalogue().readAll();
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const topics = [...new Set([...TOPICS, ...queries.map(({ topic }) => topic)])].flatMap((topic) => {
    const ofTopic = queries.filter((query) => query.topic === topic);
    return ofTopic.length === 0 ? [] : [{ topic, queries: ofTopic }];
  });
  const contents = topics.map(({ topic, queries: ofTopic }) =>
    [`**${topic}**`, ...ofTopic.map(({ name, title }) => `- [${title}](#${name}) \`${name}\``)].join('\n'),
  );
  const chapters = topics.flatMap(({ topic, queries: ofTopic }) => [`## ${topic}`, ...ofTopic.map(formatQuery)]);
  const [introduction] = page.split(START);
  return `${[introduction!.trimEnd(), START, '## Contents', ...contents, ...chapters].join('\n\n')}\n`;
}

function formatQuery(query: SavedQuery): string {
  const { name, title, description, parameters, needs, chart, sql } = query;
  const rows = parameters.map(
    (parameter) => `| \`${optionOf(parameter.name)}\` | ${parameter.type} | ${cell(describeParameter(parameter))} |`,
  );
  const needed = needs.map((need) => {
    const command = formatNeededCommand(need);
    return `${describeNeed(need)}${command === undefined ? '' : ` (\`trawl ${command}\`)`}`;
  });
  return [
    `### ${name}`,
    `**${title}**`,
    description,
    ...(rows.length === 0 ? [] : [['| parameter | type | |', '| --- | --- | --- |', ...rows].join('\n')]),
    ...(needed.length === 0 ? [] : [`Needs ${needed.join('; ')}.`]),
    ...(chart === undefined ? [] : [`Drawn as ${chart.mark}: \`${chart.y}\` by \`${chart.x}\`.`]),
    fence('sh', `npx trawl query run ${formatExample(query)}`),
    fence('sql', sql),
  ].join('\n\n');
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');
const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

if (process.argv[1] === import.meta.filename) writeFileSync(PAGE, renewedPage(readFileSync(PAGE, 'utf8')));
