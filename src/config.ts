import { statSync } from 'node:fs';
import { UsageError } from './errors.ts';
import { DEFAULT_SHARES, QUOTA_CLASSES, type QuotaClass, type Shares } from './quota/classes.ts';
import type { Reserve } from './quota/policy.ts';

/** What the environment says. Command-line options win over it. Only this file reads the environment. */
export interface Config {
  /** TRAWL_API_URL: the service's base address, without a trailing slash. */
  readonly apiUrl: string | undefined;
  /** TRAWL_API_KEY. Never printed, logged or stored. */
  readonly apiKey: string | undefined;
  /** TRAWL_DB: the store's file. */
  readonly db: string;
  /** REDIS_URL: the queue's Redis; without it trawl brings its own. */
  readonly redisUrl: string | undefined;
  /** TRAWL_RESERVE: the part of the quota that is never spent, as a number of requests or in percent. */
  readonly reserve: Reserve;
  /** TRAWL_FLOORS: what each class of crawls leaves above that to the more urgent ones, as shares of the limit. */
  readonly shares: Shares;
  /** TRAWL_RAW_DAYS: for how many days workers keep the bodies of pages; undefined for ever. */
  readonly rawDays: number | undefined;
  /** TRAWL_METHOD: how parameters are sent, GET (query string) or POST (JSON body). */
  readonly method: 'GET' | 'POST';
}

const DEFAULT_RESERVE: Reserve = { share: 0.1 };

/** Reads `.env` of the working directory into the environment; what is set already wins. @throws UsageError */
export function loadDotEnv(): void {
  // A folder of that name is somebody else's, such as Python's.
  if (!statSync('.env', { throwIfNoEntry: false })?.isFile()) return;
  try {
    process.loadEnvFile('.env');
  } catch (error) {
    throw new UsageError(`.env cannot be read: ${(error as Error).message}`, {
      hint: 'Mend its permissions.',
      cause: error,
    });
  }
}

/** What the environment says. The key is taken out of it: no process that we start inherits it. */
export function loadConfig(): Config {
  const config = readConfig(process.env);
  delete process.env['TRAWL_API_KEY'];
  return config;
}

/** @throws UsageError that names every wrong variable. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const read = <T>(name: string, parse: (text: string) => T | undefined, expected: string): T | undefined => {
    const text = env[name]?.trim();
    if (!text) return undefined;
    const value = parse(text);
    if (value === undefined) problems.push(`${name} should be ${expected}`);
    return value;
  };
  const config: Config = Object.freeze({
    apiUrl: read('TRAWL_API_URL', parseUrl, 'an address such as https://api.example.org'),
    apiKey: read('TRAWL_API_KEY', parseKey, 'one line of printable ASCII'),
    db: read('TRAWL_DB', (text) => text, 'a file') ?? 'trawl.db',
    redisUrl: read('REDIS_URL', parseRedisUrl, 'an address such as redis://127.0.0.1:6379'),
    reserve:
      read('TRAWL_RESERVE', parseReserve, 'a number of requests or a percentage, such as 50 or 10%') ?? DEFAULT_RESERVE,
    shares: {
      ...DEFAULT_SHARES,
      ...read('TRAWL_FLOORS', parseShares, 'percentages by class, such as scheduled=5%,backfill=10%'),
    },
    rawDays: read('TRAWL_RAW_DAYS', parseDays, 'a whole number of days, from 1 up'),
    method: read('TRAWL_METHOD', parseMethod, 'GET or POST') ?? 'GET',
  });
  if (problems.length > 0) throw new UsageError(`the configuration is wrong: ${problems.join('; ')}`);
  return config;
}

function parseUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (!['http:', 'https:'].includes(url.protocol) || url.username || url.password || url.search || url.hash)
    return undefined;
  return url.href.replace(/\/+$/, '');
}

/** A header value: anything else would make the HTTP library throw with the key in its message. */
const parseKey = (text: string): string | undefined => (/^[\x21-\x7e]+$/.test(text) ? text : undefined);

const parseRedisUrl = (text: string): string | undefined => (/^(rediss?|unix):\/\//.test(text) ? text : undefined);

const parseMethod = (text: string): 'GET' | 'POST' | undefined => {
  const method = text.toUpperCase();
  return method === 'GET' || method === 'POST' ? method : undefined;
};

const parseDays = (text: string): number | undefined => (/^[1-9]\d{0,4}$/.test(text) ? Number(text) : undefined);

function parseReserve(text: string): Reserve | undefined {
  const match = /^(\d+(?:\.\d+)?)(%?)$/.exec(text);
  if (!match) return undefined;
  const value = Number(match[1]);
  if (match[2]) return value < 100 ? { share: value / 100 } : undefined;
  return Number.isInteger(value) ? { requests: value } : undefined;
}

function parseShares(text: string): Partial<Shares> | undefined {
  const shares: Partial<Record<QuotaClass, number>> = {};
  for (const part of text.split(',')) {
    const [, name, percent] = /^\s*([a-z]+)\s*=\s*(\d+(?:\.\d+)?)%\s*$/.exec(part) ?? [];
    const known = QUOTA_CLASSES.find((one) => one === name);
    if (known === undefined || Number(percent) >= 100) return undefined;
    shares[known] = Number(percent) / 100;
  }
  return shares;
}
