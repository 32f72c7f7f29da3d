import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { UsageError, describeError } from '#base/errors.ts';
import type { RedisConnection, RedisHost } from './redis-backend.ts';

const EXAMPLES =
  'Examples: redis://127.0.0.1:6379, redis+sentinel://host1:26379,host2:26379/mymaster, redis+cluster://host1:6379,host2:6379';

/** A scheme, user and password, hosts, a path and a query. Node's URL knows one host only. */
const FORM = /^(rediss?(?:\+sentinel|\+cluster)?|unix):\/\/(?:([^/?#]*)@)?([^/?#@]*)(\/[^?#]*)?(\?[^#]*)?$/;

/**
 * Parses REDIS_URL:
 * - `redis://user:password@host:port/db`, with TLS `rediss://…`, or `unix:///path/to/socket?db=1`
 * - `redis+sentinel://user:password@host:port,host:port/name/db?sentinel_password=…`: the user is one of Redis
 * - `redis+cluster://user:password@host:port,host:port`
 *
 * TLS takes the files `cacert`, `cert` and `key`, and the name `sni`, as redis-cli does. No error repeats a part of the
 * address that may be a password. @throws UsageError
 */
export function parseRedisUrl(text: string): RedisConnection {
  const [, scheme = '', user = '', hosts = '', path = '', query = ''] = FORM.exec(text) ?? [];
  if (scheme === '') throw new UsageError('REDIS_URL is not an address', { hint: EXAMPLES });
  const parameters = new URLSearchParams(query);
  const [protocol, topology] = scheme.split('+') as [string, ('sentinel' | 'cluster')?];
  checkParameters(parameters, protocol, topology);
  const tls = protocol === 'rediss' ? readTlsFiles(parameters) : undefined;
  const login = { ...parseUser(user), ...(tls && { tls }) };
  if (protocol === 'unix') return { path: decode(path), ...login, ...parseDatabase(parameters.get('db') ?? '') };
  const [name = '', db = '', ...more] = topology === 'sentinel' ? path.slice(1).split('/') : ['', path.slice(1)];
  const database = parseDatabase([db, ...more].join('/'));
  if (topology === 'cluster') {
    if (database.db) throw new UsageError('REDIS_URL names a database: a Redis Cluster has only database 0');
    return { nodes: parseHosts(hosts, 6379), ...login };
  }
  if (topology === 'sentinel') {
    if (name === '')
      throw new UsageError('REDIS_URL lacks the name of the group that the Sentinels monitor', { hint: EXAMPLES });
    const [sentinelUsername, sentinelPassword] = ['sentinel_username', 'sentinel_password'].map((each) =>
      parameters.get(each),
    );
    return {
      sentinels: parseHosts(hosts, 26379),
      name: decode(name),
      ...login,
      ...database,
      ...(sentinelUsername && { sentinelUsername }),
      ...(sentinelPassword && { sentinelPassword }),
      ...(tls && {
        sentinelTLS: tls,
        enableTLSForSentinelMode: true,
      }),
    };
  }
  if (hosts.includes(','))
    throw new UsageError('REDIS_URL has several hosts', {
      hint: 'Write redis+cluster://… for a Redis Cluster, or redis+sentinel://…/name for Sentinels.',
    });
  return {
    ...parseHosts(hosts || (user === '' ? '127.0.0.1' : ''), 6379)[0]!,
    ...login,
    ...parseDatabase(parameters.get('db') ?? db),
  };
}

const TLS_PARAMETERS = ['cacert', 'cert', 'key', 'sni'];

/** Rejects unknown parameters: a misspelled one would be a connection without the wanted check. */
function checkParameters(parameters: URLSearchParams, protocol: string, topology: string | undefined): void {
  const known = [
    ...(protocol === 'rediss' ? TLS_PARAMETERS : []),
    ...(topology === undefined ? ['db'] : []),
    ...(topology === 'sentinel' ? ['sentinel_username', 'sentinel_password'] : []),
  ];
  const unknown = [...parameters.keys()].find((name) => !known.includes(name));
  if (unknown === undefined) return;
  if (TLS_PARAMETERS.includes(unknown) && protocol === 'redis')
    throw new UsageError(`REDIS_URL has the parameter ${unknown}, which needs TLS`, {
      hint: `Write ${['rediss', topology].filter(Boolean).join('+')}:// in place of ${['redis', topology].filter(Boolean).join('+')}://.`,
    });
  throw new UsageError('REDIS_URL has an unknown parameter', {
    hint: known.length === 0 ? 'This form has none.' : `This form has: ${known.join(', ')}.`,
  });
}

function parseUser(text: string): { username?: string; password?: string } {
  const [, username = '', password = ''] = /^([^:]*)(?::(.*))?$/s.exec(text) ?? [];
  return { ...(username && { username: decode(username) }), ...(password && { password: decode(password) }) };
}

/** Parses hosts with commas between them. An IPv6 address is in brackets. */
function parseHosts(text: string, defaultPort: number): RedisHost[] {
  return text.split(',').map((each) => {
    const [, host = '', port = ''] = /^(\[[\da-f:.]+\]|[^\s:[\]]+)(?::(\d{1,5}))?$/i.exec(each.trim()) ?? [];
    if (host === '' || Number(port) > 65_535)
      throw new UsageError('REDIS_URL has a host or a port that is not one', { hint: EXAMPLES });
    return { host: host.replace(/^\[|\]$/g, ''), port: Number(port || defaultPort) };
  });
}

function parseDatabase(text: string): { db?: number } {
  if (!/^\d*$/.test(text)) throw new UsageError('REDIS_URL ends with something that is not the number of a database');
  return text === '' ? {} : { db: Number(text) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The parameters of REDIS_URL that name files in PEM format, and the options of Node that take their contents. */
const FILES = { cacert: 'ca', cert: 'cert', key: 'key' } as const;

/**
 * Returns the TLS options that parameters describe. `sni` is sent to the server, and is the name that its certificate has to
 * contain. Certificates are always checked. @throws UsageError if a file cannot be read
 */
function readTlsFiles(parameters: URLSearchParams): ConnectionOptions {
  const options: ConnectionOptions = {};
  for (const [parameter, option] of Object.entries(FILES)) {
    const file = parameters.get(parameter);
    if (file) options[option] = readPem(parameter, file);
  }
  if (!options.cert !== !options.key)
    throw new UsageError('REDIS_URL needs both cert and key for a client certificate, or neither');
  const name = parameters.get('sni');
  return name ? { ...options, servername: name } : options;
}

function readPem(parameter: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new UsageError(`the ${parameter} of REDIS_URL cannot be read: ${file}: ${describeError(cause)}`, { cause });
  }
}
