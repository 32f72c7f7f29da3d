import type { EventEmitter } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Help } from 'commander';
import { PACKAGE_ROOT } from '#base/package-root.ts';
import { buildProgram, forEachCommand } from '#cli/program.ts';

/** Writes docs/reference/commands.md from the help of the commands. */

export const COMMANDS_PAGE = join(PACKAGE_ROOT, 'docs/reference/commands.md');

const HEADER = `# Commands

Generated from \`src/cli\` by \`npm run docs:commands\`: edit that, not this page. All commands have \`--help\`. Arguments and
options that several commands share are described at the first one. [Settings](../install.md#settings) are environment variables.`;

const help = new Help();

/** Returns the page: usage, description, arguments, options, examples and exit codes of each command. */
export function renderCommands(): string {
  const parts = [HEADER];
  const described = new Map<string, string>();
  forEachCommand(buildProgram(), (command) => {
    if (command.parent && !help.visibleCommands(command.parent).includes(command)) return;
    const group = `## ${command.helpGroup().replace(':', '')}`;
    if (command.helpGroup() !== '' && !parts.includes(group)) parts.push(group);
    parts.push(formatSection(command, described));
  });
  return `${parts.join('\n\n')}\n`;
}

/** @param described the first command with an argument, an option or a paragraph, by its text */
function formatSection(command: Command, described: Map<string, string>): string {
  const usage = help.commandUsage(command).replace(' [options]', '');
  const path = /^trawl ?([a-z ]*)\b/.exec(usage)![1]!;
  const references = new Map<string, string[]>();
  const isNew = (name: string, text: string): boolean => {
    const place = described.get(text) ?? path;
    described.set(text, place);
    if (place !== path) references.set(place, [...(references.get(place) ?? []), name]);
    return place === path;
  };
  const items = [
    ...help
      .visibleArguments(command)
      .map((each) => [each.name(), each.name(), help.argumentDescription(each)] as const),
    ...help.visibleOptions(command).map((each) => [each.long!, each.flags, help.optionDescription(each)] as const),
  ].filter(([name, term, description]) => name !== '--help' && isNew(`\`${name}\``, `${term} ${description}`));
  let text = '';
  // Its types omit that a command is an event emitter.
  const emitter = command as Command & Pick<EventEmitter, 'emit'>;
  emitter.emit('afterHelp', { error: false, command, write: (more: string) => (text += more) });
  const blocks = text
    .trim()
    .split(/\n\n+/)
    .filter(
      (block) => block !== '' && !block.startsWith('Environment variables') && isNew(block.split(':')[0]!, block),
    );
  return [
    `### \`${usage}\``,
    formatProse(command.description()),
    [
      ...items.map(([, term, description]) => `- \`${term}\`: ${formatProse(description)}`),
      ...(references.size === 0 ? [] : [`- see ${listReferences(references)}`]),
    ].join('\n'),
    ...blocks.map(formatBlock),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const listReferences = (references: ReadonlyMap<string, readonly string[]>): string =>
  Array.from(references, ([place, names]) => `\`${place}\`: ${names.join(', ')}`).join('; ');

/** Formats a paragraph of the text below the options. Its indented lines are code, and commands if they are examples. */
function formatBlock(block: string): string {
  const [, title, code] = /^(.*)\n( {2}[^]*)$/.exec(block) ?? [];
  if (title === undefined) return formatProse(block);
  const lines = code!.replaceAll(/^ {2}/gm, '');
  if (!title.startsWith('Example')) return `${title}\n\n\`\`\`text\n${lines}\n\`\`\``;
  const shell = lines.replaceAll(/\btrawl (?=[a-z])/g, 'npx trawl ').replaceAll(/(?<=\S) {3,}(?=\S)/g, '  # ');
  return `${title}\n\n\`\`\`sh\n${shell}\n\`\`\``;
}

/** Escapes characters that Markdown takes for HTML, and links the pages that a text names. */
const formatProse = (text: string): string =>
  text
    .replaceAll(/`[^`]*`|</g, (part) => (part === '<' ? String.raw`\<` : part))
    .replaceAll(`${PACKAGE_ROOT}/docs/`, 'docs/')
    .replaceAll(/\bdocs\/([\w/-]+\.md)/g, '[$1](../$1)');

if (process.argv[1] === import.meta.filename) writeFileSync(COMMANDS_PAGE, renderCommands());
