import { InvalidArgumentError, Option } from 'commander';
import { parseAge, parseDayOrTime, resolveAge, systemClock } from '#base/clock.ts';
import { type TrawlError, UnauthorizedError, UsageError } from '#base/errors.ts';
import { findContext, resolvePath } from '#cli/context.ts';
import type { Config } from '#config.ts';
import type { ServiceKey } from '#service/quota/service-key.ts';

/** Options and parsers of option values that several commands share. */

export interface CommonOptions {
  readonly db: string;
  readonly json?: true;
  readonly quiet?: true;
}

/** 78: the configuration is refused, as in sysexits.h. Starting again does not help. */
export const EXIT = { complete: 0, failed: 1, usage: 2, partial: 3, configuration: 78 } as const;

/** The exit code of a command that failed with an error; undefined for a bug. */
export function decideErrorCode(error: TrawlError | undefined): number {
  if (error instanceof UnauthorizedError) return EXIT.configuration;
  return error instanceof UsageError ? EXIT.usage : EXIT.failed;
}

/** The exit code of a command that skipped targets. @param code that of the others */
export const decideSkippedCode = (
  skipped: { readonly invalidTargets: number; readonly forgottenTargets: number },
  code: number,
): number => {
  if (skipped.invalidTargets > 0) return EXIT.failed;
  return skipped.forgottenTargets > 0 && code === EXIT.complete ? EXIT.partial : code;
};

export const dbOption = (): Option =>
  new Option('--db <file>', 'the SQLite file')
    .argParser(resolvePath)
    .default(resolvePath(findContext()?.env['TRAWL_DB'] || 'trawl.db'), 'TRAWL_DB, or trawl.db');
export const jsonOption = (): Option => new Option('--json', 'print one JSON document to stdout');
export const quietOption = (): Option => new Option('-q, --quiet', 'print neither progress, notes nor logs');
export const yesOption = (): Option => new Option('-y, --yes', 'skip the confirmation');

/** The forms in which an account is typed. */
export const ACCOUNT_FORMS = 'nasa, @nasa, id:11348282 or the URL of a profile';

/** @param what what the lines of the file are */
export const fromFileOption = (what = 'accounts'): Option =>
  new Option(
    '--from-file <file>',
    `also read ${what} from a file (- is standard input), one per line; "# " begins a comment`,
  ).argParser(resolvePath);

/** @param who what the names are of */
export const authorOption = (who: string): Option =>
  new Option('--author <name>', `${who}, as "Family, Given" or the name of an organisation (repeatable)`).argParser(
    (name: string, previous: readonly string[] | undefined) => [...(previous ?? []), name],
  );

/** Returns a parser of option values that refuses a text for which `parse` returns undefined. @param form what it must be */
export const valueParser =
  <T>(parse: (text: string) => T | undefined, form: string) =>
  (text: string): T => {
    const value = parse(text);
    if (value === undefined) throw new InvalidArgumentError(`It must be ${form}.`);
    return value;
  };

/** Parses values that are separated by commas, or typed with several options. */
export const listParser = (text: string, previous: readonly string[] = []): readonly string[] => [
  ...previous,
  ...text.split(',').map((part) => part.trim()),
];

/** Returns a parser of whole numbers of at least `least`. */
export const parseIntegerFrom = (least: number) =>
  valueParser((text) => {
    const value = Number(text);
    return /^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least ? value : undefined;
  }, `a whole number of at least ${least}`);

/** Parses a duration such as 20s, 15m, 24h or 30d. Returns milliseconds. */
export const parseDuration = valueParser(parseAge, 'a number with a unit, such as 20s, 15m or 24h');

/** `parseDuration` of more than nothing. */
export const positiveDuration = valueParser((text) => parseAge(text) || undefined, 'a time such as 20s, 15m or 24h');

const DAY_FORM = 'a day such as 2024-01-31';
const TIME_FORM = 'a time such as 2024-01-31T12:00:00Z';

/** Parses a day (2024-01-31) or a time (2024-01-31T12:00:00Z). Returns milliseconds UTC. */
export const parseInstant = valueParser(parseDayOrTime, `${DAY_FORM}, or ${TIME_FORM}`);

/** Returns a parser of a day, a time, or an age such as 30d, which `back` subtracts from now. */
const instantOrAge = (back: (now: number, age: number) => number) =>
  valueParser((text) => {
    const age = parseAge(text);
    return age === undefined ? parseDayOrTime(text) : back(systemClock.now(), age);
  }, `${DAY_FORM}, ${TIME_FORM}, or an age such as 24h or 30d`);

/** Parses the time of items. An age of days is rounded down to the start of a day, as in job files. */
export const parseSince = instantOrAge(resolveAge);
/** Parses the time of collection, to the millisecond. */
export const parseSeenSince = instantOrAge((now, age) => now - age);

/** An address to listen on. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Parses `host:port`; an IPv6 address is in brackets. */
export const parseAddress = valueParser((text): Address | undefined => {
  const [, bracketed, plain, digits] = /^(?:\[([\da-f:.]+)\]|([^\s:[\]]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = bracketed ?? plain;
  return host === undefined || Number(digits) > 65_535 ? undefined : { host, port: Number(digits) };
}, 'host:port, such as 127.0.0.1:8801 or [::1]:8801; port 0 is any free port');

/** Returns the service's address and key. @throws UsageError if one is not set. */
export function requireService(config: Config): ServiceKey {
  const { apiUrl, apiKey } = config;
  if (!apiUrl) {
    throw new UsageError('TRAWL_API_URL is not set', {
      hint: 'Set it to the base address of the service, in the environment or in a .env file. `trawl twin serve` starts a local one.',
    });
  }
  if (!apiKey) {
    throw new UsageError('TRAWL_API_KEY is not set', {
      hint: 'Set it to your key for the service, in the environment or in a .env file.',
    });
  }
  return { apiUrl, apiKey };
}
