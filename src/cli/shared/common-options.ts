import { InvalidArgumentError, Option } from 'commander';
import { DAY, MINUTE, SECOND, resolveAge, systemClock } from '../../clock.ts';
import type { Config } from '../../config.ts';
import { UsageError } from '../../errors.ts';
import { addDatabaseOption } from './command-hints.ts';

/** What several commands share: options, parsers of option values, and the two ways out (stdout and stderr). */

export const EXIT = { complete: 0, failed: 1, usage: 2, partial: 3 } as const;

export const dbOption = (): Option => new Option('--db <file>', 'the SQLite file').env('TRAWL_DB').default('trawl.db');
export const jsonOption = (): Option => new Option('--json', 'print one JSON document on stdout');
export const quietOption = (): Option => new Option('-q, --quiet', 'no progress and no logs');

/** A whole number of at least `least`. */
export const parseIntegerFrom =
  (least: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < least) {
      throw new InvalidArgumentError(`It should be a whole number from ${least} up.`);
    }
    return value;
  };

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: SECOND, m: MINUTE, h: 60 * MINUTE, d: DAY };

/** A duration such as 20s, 15m, 24h or 30d, in milliseconds. */
export function parseDuration(text: string): number {
  const match = /^(\d+)(ms|s|m|h|d)$/.exec(text);
  if (!match) throw new InvalidArgumentError('It should be a number with a unit, such as 20s, 15m or 24h.');
  return Number(match[1]) * UNITS[match[2]!]!;
}

/** A day (2024-01-31) or a time (2024-01-31T12:00:00Z), in milliseconds UTC. */
export function parseInstant(text: string): number {
  const value = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?Z)?$/.test(text) ? Date.parse(text) : Number.NaN;
  // Date.parse rolls 2024-02-31 over to March: such a day does not exist.
  if (Number.isNaN(value) || new Date(value).toISOString().slice(0, 10) !== text.slice(0, 10)) {
    throw new InvalidArgumentError('It should be a day such as 2024-01-31, or a time such as 2024-01-31T12:00:00Z.');
  }
  return value;
}

/** A day, a time, or an age such as 30d, which `back` counts back from now. */
const instantOrAge =
  (back: (now: number, age: number) => number) =>
  (text: string): number => {
    if (/^\d+(ms|s|m|h|d)$/.test(text)) return back(systemClock.now(), parseDuration(text));
    try {
      return parseInstant(text);
    } catch {
      throw new InvalidArgumentError(
        'It should be a day such as 2024-01-31, a time such as 2024-01-31T12:00:00Z, or an age such as 24h or 30d.',
      );
    }
  };

/** Since when something is crawled: an age of days is counted to the start of a day, as in job files. */
export const parseSince = instantOrAge(resolveAge);
/** Since when something is told. */
export const parseSeenSince = instantOrAge((now, age) => now - age);

/** The answer of a command: stdout, and nothing else goes there. */
export const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** What a person may want to know meanwhile: stderr. */
export const printNote = (text: string): void => void process.stderr.write(`${addDatabaseOption(text)}\n`);

/** The service's address and key. @throws UsageError that says how to set what is missing. */
export function requireService(config: Config): { apiUrl: string; apiKey: string } {
  const { apiUrl, apiKey, isKeyWithheld } = config;
  if (!apiUrl) {
    throw new UsageError('TRAWL_API_URL is not set', {
      hint: 'Set it to the base address of the service, in the environment or in a .env file. `trawl serve` starts one of your own.',
    });
  }
  if (isKeyWithheld) throw keyWithheldError();
  if (!apiKey) {
    throw new UsageError('TRAWL_API_KEY is not set', {
      hint: 'Set it to your key for the service, in the environment or in a .env file.',
    });
  }
  return { apiUrl, apiKey };
}

/** The address is from `.env`, and the only key is the environment's. */
export const keyWithheldError = (): UsageError =>
  new UsageError(
    'TRAWL_API_URL is from .env and TRAWL_API_KEY is not: a key from the environment is not sent to an address from a file',
    { hint: 'Set both in .env, or both in the environment.' },
  );
