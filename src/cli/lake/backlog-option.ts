import { InvalidArgumentError, Option } from 'commander';
import { parseBytes } from '#config.ts';

export const backlogOption = (): Option =>
  new Option(
    '--ship-backlog <size>',
    'pause crawls when facts of this size wait for the target (default: 10GB)',
  ).argParser((text): number => {
    const bytes = parseBytes(text);
    if (bytes === undefined || bytes === 0) throw new InvalidArgumentError('It must be a size such as 500MB or 10GB.');
    return bytes;
  });
