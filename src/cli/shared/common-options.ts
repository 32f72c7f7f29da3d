import { InvalidArgumentError, Option } from 'commander';
import { parseAge, parseDayOrTime, resolveAge, systemClock } from '../../clock.ts';
import type { Config } from '../../config.ts';
import { type TrawlError, UnauthorizedError, UsageError } from '../../errors.ts';
import type { ServiceKey } from '../../quota/service-key.ts';
import { findContext, resolvePath } from '../context.ts';

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
export const jsonOption = (): Option => new Option('--json', 'print one JSON document on stdout');
export const quietOption = (): Option => new Option('-q, --quiet', 'print neither progress nor logs');

/** Returns a parser of whole numbers of at least `least`. */
export const parseIntegerFrom =
  (least: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < least) {
      throw new InvalidArgumentError(`It must be a whole number of at least ${least}.`);
    }
    return value;
  };

/** Parses a duration such as 20s, 15m, 24h or 30d. Returns milliseconds. */
export function parseDuration(text: string): number {
  const ms = parseAge(text);
  if (ms === undefined) throw new InvalidArgumentError('It must be a number with a unit, such as 20s, 15m or 24h.');
  return ms;
}

/** Parses a day (2024-01-31) or a time (2024-01-31T12:00:00Z). Returns milliseconds UTC. */
export function parseInstant(text: string): number {
  const at = parseDayOrTime(text);
  if (at === undefined) {
    throw new InvalidArgumentError('It must be a day such as 2024-01-31, or a time such as 2024-01-31T12:00:00Z.');
  }
  return at;
}

/** Returns a parser of a day, a time, or an age such as 30d, which `back` subtracts from now. */
const instantOrAge =
  (back: (now: number, age: number) => number) =>
  (text: string): number => {
    const age = parseAge(text);
    const at = age === undefined ? parseDayOrTime(text) : back(systemClock.now(), age);
    if (at === undefined) {
      throw new InvalidArgumentError(
        'It must be a day such as 2024-01-31, a time such as 2024-01-31T12:00:00Z, or an age such as 24h or 30d.',
      );
    }
    return at;
  };

/** Parses the time of items. An age of days is rounded down to the start of a day, as in job files. */
export const parseSince = instantOrAge(resolveAge);
/** Parses the time of collection, to the millisecond. */
export const parseSeenSince = instantOrAge((now, age) => now - age);

/** An address to listen on. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

export const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', '::1', 'localhost'];

/** Parses `host:port`; an IPv6 address is in brackets. */
export function parseAddress(text: string): Address {
  const [, bracketed, plain, digits] = /^(?:\[([\da-f:.]+)\]|([^\s:[\]]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(digits) > 65_535) {
    throw new InvalidArgumentError(
      'It must be host:port, such as 127.0.0.1:8801 or [::1]:8801; port 0 is any free port.',
    );
  }
  return { host, port: Number(digits) };
}

/** Returns the service's address and key. @throws UsageError if one is not set. */
export function requireService(config: Config): ServiceKey {
  const { apiUrl, apiKey } = config;
  if (!apiUrl) {
    throw new UsageError('TRAWL_API_URL is not set', {
      hint: 'Set it to the base address of the service, in the environment or in a .env file. `trawl serve` starts a local one.',
    });
  }
  if (!apiKey) {
    throw new UsageError('TRAWL_API_KEY is not set', {
      hint: 'Set it to your key for the service, in the environment or in a .env file.',
    });
  }
  return { apiUrl, apiKey };
}
