import { readFileSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parseEnv } from 'node:util';
import { UsageError } from './base/errors.ts';
import { pluralize } from './base/text.ts';
import { parseWebhookUrl } from './crawl/jobs/notify.ts';
import { DEFAULT_HEADROOM_SHARES, PRIORITIES, type Priority, type HeadroomShares } from './service/quota/priorities.ts';
import type { Reserve } from './service/quota/quota-policy.ts';
import type { MinFreeSpace } from './store/sqlite/disk-space.ts';

/** The configuration from the environment; command-line options have priority. Only this file reads the environment. */
export interface Config {
  /** TRAWL_API_URL: the base URL of the service, without a trailing slash. */
  readonly apiUrl: string | undefined;
  /** TRAWL_API_KEY. Never printed, logged or stored. */
  readonly apiKey: string | undefined;
  /** TRAWL_KEY_LABEL: names the key in the provenance of crawls; by default a part of its hash. */
  readonly keyLabel: string | undefined;
  /** TRAWL_DB: the store's file. */
  readonly db: string;
  /** REDIS_URL: the Redis of the queue: a server, Sentinels or a cluster; by default trawl starts a server. */
  readonly redisUrl: string | undefined;
  /** XDG_RUNTIME_DIR: the user's runtime directory, for the sockets of a private Redis. */
  readonly runtimeDir: string | undefined;
  /** XDG_CONFIG_HOME, or `.config` in HOME: the folder of the user's configuration. */
  readonly configFolder: string | undefined;
  /** TRAWL_RESERVE: the part of the quota that is never used, as a number of requests or a percentage. */
  readonly reserve: Reserve;
  /** TRAWL_HEADROOM: the share of the limit above the reserve that each priority leaves to more urgent ones. */
  readonly headroomShares: HeadroomShares;
  /** TRAWL_RAW_DAYS: days to keep raw bodies; undefined: forever. */
  readonly rawDays: number | undefined;
  /** TRAWL_MIN_FREE_DISK: the free disk space below which crawls pause; undefined for the default. */
  readonly minFree: MinFreeSpace | undefined;
  /** TRAWL_NOTIFY_URL: the webhook for alerts. Its URL may contain a secret. */
  readonly notifyUrl: string | undefined;
  /** TRAWL_DASHBOARD_TOKEN: the token of the dashboard; undefined for a random one at each start. Never printed. */
  readonly dashboardToken: string | undefined;
  /** What child processes inherit. */
  readonly childEnvironment: Readonly<Record<string, string>>;
  /** TRAWL_SHIP: the targets that workers ship to; empty for all, undefined for none. */
  readonly ship: readonly string[] | undefined;
  /** TRAWL_QUERIES: the folders of the user's saved queries; undefined for the folder `queries` here, if there is one. */
  readonly queryFolders: readonly string[] | undefined;
  /** TRAWL_METHOD: how parameters are sent, GET (query string) or POST (JSON body). */
  readonly method: 'GET' | 'POST';
}

export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Returns whether a `.env` file may set a variable. Others control Node, the linker or other programs, and the
 * directory may be untrusted.
 */
const isSettable = (name: string): boolean => name === 'REDIS_URL' || name.startsWith('TRAWL_');

/** The variables of `.env` in a folder. @throws UsageError */
function readDotEnv(folder: string): Variables {
  const file = join(folder, '.env');
  // Other tools, such as Python's, use a directory of this name.
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return {};
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`.env cannot be read: ${(error as Error).message}`, {
      hint: 'Correct its permissions.',
      cause: error,
    });
  }
}

/**
 * Returns the environment with the allowed variables of `.env`, and warnings, one line each. The environment has
 * priority. Its key is never combined with a URL from the file: an untrusted file would receive the key.
 * @throws UsageError
 */
export function readEnvironment(
  variables: Variables = process.env,
  folder = '.',
): { env: Variables; warnings: string[] } {
  const file = readDotEnv(folder);
  const ignored = Object.keys(file).filter((name) => !isSettable(name));
  const settable = Object.fromEntries(Object.entries(file).filter(([name]) => isSettable(name)));
  const env = { ...settable, ...variables };
  const warnings: string[] = [];
  if (ignored.length > 0) {
    warnings.push(`.env sets ${listed(ignored)}: ignored, only TRAWL_* and REDIS_URL are read from it`);
  }
  const isAddressOfFile = variables['TRAWL_API_URL'] === undefined && !!file['TRAWL_API_URL']?.trim();
  const isKeyOfFile = isAddressOfFile || variables['TRAWL_API_KEY'] === undefined;
  const [used, unused] = isKeyOfFile ? [file, variables] : [variables, file];
  // A label names the key beside it: that of a key which is not used must not name the other one.
  if (unused['TRAWL_API_KEY']) env['TRAWL_KEY_LABEL'] = used['TRAWL_KEY_LABEL'];
  if (isAddressOfFile) {
    env['TRAWL_API_KEY'] = file['TRAWL_API_KEY'];
    if (variables['TRAWL_API_KEY']) {
      const more = file['TRAWL_API_KEY'] ? ', and so is the key' : '; set both in .env, or both in the environment';
      warnings.push(`TRAWL_API_KEY of the environment is not used: the address is from .env${more}`);
    }
  }
  return { env, warnings };
}

/** The maximum number of variables that a warning names. */
const MAX_LISTED = 8;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_LISTED).map((name) => (/^\w+$/.test(name) ? name : JSON.stringify(name)));
  if (names.length > MAX_LISTED) shown.push(pluralize(names.length - MAX_LISTED, 'other'));
  return shown.length === 1 ? shown[0]! : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

/** What child processes inherit: where programs and files are, and the language. No key, and nothing that loads code. */
const INHERITED =
  /^(PATH|HOME|TMPDIR|SQLITE_TMPDIR|TZ|LANG|LANGUAGE|LC_[A-Z]+|AWS_(PROFILE|ROLE_[A-Z_]+|[A-Z_]+_(FILE|URI)))$/;

export const buildChildEnvironment = (env: Variables = process.env): Record<string, string> =>
  pickVariables(env, INHERITED);

/** What clients of object storage read: keys, and where the service is. Never printed or stored. */
const FOR_TARGETS = /^AWS_[A-Z_\d]+$/;

export const readTargetVariables = (env: Variables): Record<string, string> => pickVariables(env, FOR_TARGETS);

function pickVariables(env: Variables, names: RegExp): Record<string, string> {
  const found = Object.entries(env).filter(([name, value]) => value !== undefined && names.test(name));
  return Object.fromEntries(found) as Record<string, string>;
}

/** Parses the variables. @throws UsageError that names every wrong variable */
export function readConfig(env: Variables): Config {
  const problems: string[] = [];
  const read = <T>(name: string, parse: (text: string) => T | undefined, expected: string): T | undefined => {
    const text = env[name]?.trim();
    if (!text) return undefined;
    const value = parse(text);
    if (value === undefined) problems.push(`${name} should be ${expected}`);
    return value;
  };
  const config: Config = Object.freeze({
    apiUrl: read('TRAWL_API_URL', parseServiceUrl, 'an address such as https://api.example.org'),
    apiKey: isPlaceholder(env['TRAWL_API_KEY'])
      ? read('TRAWL_API_KEY', () => undefined, 'your key: this is the placeholder of the documentation')
      : read('TRAWL_API_KEY', parseApiKey, 'one line of printable ASCII'),
    keyLabel: read('TRAWL_KEY_LABEL', (text) => parseKeyLabel(text, env['TRAWL_API_KEY']), KEY_LABEL_FORM),
    db: read('TRAWL_DB', (text) => text, 'a file') ?? 'trawl.db',
    redisUrl: read('REDIS_URL', parseRedisUrl, 'an address such as redis://127.0.0.1:6379'),
    runtimeDir: env['XDG_RUNTIME_DIR'] || undefined,
    configFolder: env['XDG_CONFIG_HOME'] || (env['HOME'] ? join(env['HOME'], '.config') : undefined),
    childEnvironment: buildChildEnvironment(env),
    reserve: read('TRAWL_RESERVE', parseReserve, 'a number of requests or a percentage, such as 50 or 10%') ?? {
      share: 0.1,
    },
    headroomShares: {
      ...DEFAULT_HEADROOM_SHARES,
      ...read('TRAWL_HEADROOM', parseShares, 'percentages by priority, such as scheduled=5%,backfill=10%'),
    },
    rawDays: read('TRAWL_RAW_DAYS', parseDays, 'a whole number of days, from 1 up'),
    minFree: read('TRAWL_MIN_FREE_DISK', parseMinFree, 'a size such as 500MB, or a percentage such as 2%'),
    notifyUrl: read('TRAWL_NOTIFY_URL', parseWebhookUrl, 'an http(s) address without user and password'),
    dashboardToken: read('TRAWL_DASHBOARD_TOKEN', parseDashboardToken, 'at least 16 letters, digits, - or _'),
    ship: read('TRAWL_SHIP', parseShip, 'all, or targets with spaces between them'),
    queryFolders: read('TRAWL_QUERIES', parseFolders, 'one or more folders'),
    method: read('TRAWL_METHOD', parseMethod, 'GET or POST') ?? 'GET',
  });
  if (problems.length > 0) throw new UsageError(`the configuration is wrong: ${problems.join('; ')}`);
  return config;
}

/** Returns the base URL of a service without a trailing slash; undefined if it is invalid. */
export function parseServiceUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (!['http:', 'https:'].includes(url.protocol) || url.username || url.password || url.search || url.hash)
    return undefined;
  return url.href.replace(/\/+$/, '');
}

/** Returns whether a text is the placeholder for a key in the README, the demo or the specification. */
const isPlaceholder = (text: string | undefined): boolean =>
  /^(…|\.\.\.|trawl_(…|\.\.\.)|<[^<>]*>|your[-_]?(api[-_]?)?key)$/i.test(text?.trim() ?? '');

/** Only printable ASCII: the HTTP library would throw an error with the key in its message. */
export const parseApiKey = (text: string): string | undefined => (/^[\x21-\x7e]+$/.test(text) ? text : undefined);

/** The form of a label. */
export const KEY_LABEL_FORM = 'at most 64 printable characters, without the key';

/** Returns a label of an API key; undefined if it is too long, not printable or reveals the key. */
export function parseKeyLabel(text: string, apiKey = ''): string | undefined {
  const key = apiKey.trim().toLowerCase();
  const revealsKey = key !== '' && text.toLowerCase().includes(key);
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,64}$/u.test(text) && !revealsKey ? text : undefined;
}

/** Checks the scheme only: `crawl/queue/redis/parse-redis-url.ts` parses the rest. */
const parseRedisUrl = (text: string): string | undefined =>
  /^(rediss?(\+sentinel|\+cluster)?|unix):\/\//.test(text) ? text : undefined;

const parseDashboardToken = (text: string): string | undefined => (/^[\w-]{16,200}$/.test(text) ? text : undefined);

/** Parses folders with the separator of PATH between them. */
function parseFolders(text: string): string[] | undefined {
  const folders = text.split(delimiter).filter((folder) => folder !== '');
  return folders.length === 0 ? undefined : folders;
}

/** Parses the targets of shipping. */
const parseShip = (text: string): string[] => (/^all$/i.test(text) ? [] : text.split(/\s+/));

const parseMethod = (text: string): Config['method'] | undefined =>
  (['GET', 'POST'] as const).find((method) => method === text.toUpperCase());

const parseDays = (text: string): number | undefined => (/^[1-9]\d{0,4}$/.test(text) ? Number(text) : undefined);

const SIZE_UNITS: Readonly<Record<string, number>> = { B: 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

/** Parses a number of bytes with a unit, such as 500MB or 1.5GB. Undefined for anything else. */
export function parseBytes(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?) ?([kmgt]?b)$/i.exec(text) ?? [];
  return digits === undefined ? undefined : Math.round(Number(digits) * SIZE_UNITS[unit.toUpperCase()]!);
}

/** Parses an amount of disk space: 500MB, 1.5GB, 2%, or 0 for none. Undefined for anything else. */
export function parseMinFree(text: string): MinFreeSpace | undefined {
  const [, percent] = /^(\d+(?:\.\d+)?) ?%$/.exec(text) ?? [];
  if (percent !== undefined) return Number(percent) <= 100 ? { share: Number(percent) / 100 } : undefined;
  const bytes = text === '0' ? 0 : parseBytes(text);
  return bytes === undefined ? undefined : { bytes };
}

function parseReserve(text: string): Reserve | undefined {
  const [, digits, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  const value = Number(digits);
  if (percent) return value < 100 ? { share: value / 100 } : undefined;
  return Number.isInteger(value) ? { requests: value } : undefined;
}

function parseShares(text: string): Partial<HeadroomShares> | undefined {
  const shares: Partial<Record<Priority, number>> = {};
  for (const part of text.split(',')) {
    const [, name, percent] = /^\s*([a-z]+)\s*=\s*(\d+(?:\.\d+)?)%\s*$/.exec(part) ?? [];
    const known = PRIORITIES.find((one) => one === name);
    if (known === undefined || Number(percent) >= 100) return undefined;
    shares[known] = Number(percent) / 100;
  }
  return shares;
}
