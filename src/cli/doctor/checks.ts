import { existsSync } from 'node:fs';
import { readDisk } from '#analysis/disk-answer.ts';
import { systemClock, SECOND } from '#base/clock.ts';
import { getConfig } from '#cli/context.ts';
import { type CommonOptions, EXIT } from '#cli/shared/common-options.ts';
import { readStore } from '#cli/shared/existing-store.ts';
import { hint, formatCount, print, printJson, formatDuration, pluralize } from '#cli/terminal/print.ts';
import type { Config } from '#config.ts';
import { inspectRedis, type RedisState } from '#crawl/queue/redis/inspect-redis.ts';
import { startRedis } from '#crawl/queue/redis/start-redis.ts';
import {
  type CheckResult,
  failCheck,
  note,
  ok,
  wrong,
  checkNode,
  DEEP_STORE_CHECKS,
  judgeDisk,
  STORE_CHECKS,
  type StoreCheck,
} from '#ops/doctor/store-checks.ts';
import { createClient } from '#service/client/client.ts';
import { labelByHash } from '#service/quota/service-key.ts';

interface Finding extends CheckResult {
  readonly check: string;
}

type Check = (config: Config, db: string, before: readonly Finding[]) => Promise<CheckResult>;

const CHECKS: Readonly<Record<string, Check>> = {
  node: async () => checkNode(),

  service: async ({ apiUrl, apiKey, keyLabel, method }) => {
    if (!apiUrl) return note('TRAWL_API_URL is not set: crawls need it; `trawl demo` and `trawl twin serve` do not');
    if (!apiKey) return wrong('TRAWL_API_KEY is not set');
    await using client = createClient({ baseUrl: apiUrl, apiKey, method });
    const { remaining, limit } = await client.tokenInfo();
    const label = keyLabel ?? labelByHash({ apiUrl, apiKey });
    return ok(
      `${apiUrl} responds and accepts the key (label ${label}): ${formatCount(remaining)} of ${formatCount(limit)} requests left`,
    );
  },

  database: async ({ minFree }, path) => {
    if (!existsSync(path)) return note(`${path} does not exist yet: the first crawl creates it`);
    return await readStore(path, (store) => STORE_CHECKS.database(store, { ...contextOf(path), minFree }));
  },

  fields: ofStore(STORE_CHECKS.fields),
  jobs: ofStore(STORE_CHECKS.jobs),
  erasures: ofStore(STORE_CHECKS.erasures),

  redis: async (config, db) => await checkRedis(config, db),

  disk: async ({ minFree }, path, before) => {
    const now = systemClock.now();
    return existsSync(path) && !isUnreadable(before)
      ? await readStore(path, (store) => STORE_CHECKS.disk(store, { path, minFree, now, hint }))
      : judgeDisk(readDisk(path, undefined, minFree, now));
  },
};

/** Runs over the whole database: only with --deep. */
const DEEP_CHECKS: Readonly<Record<string, Check>> = { keys: ofStore(DEEP_STORE_CHECKS.keys) };

const contextOf = (path: string) => ({ path, now: systemClock.now(), hint });

const isUnreadable = (before: readonly Finding[]): boolean =>
  before.some(({ check, status }) => check === 'database' && status === 'wrong');

/** A check that needs a store that can be read. */
function ofStore(check: StoreCheck): Check {
  return async ({ minFree }, path, before) => {
    if (!existsSync(path)) return note('nothing is stored yet');
    if (isUnreadable(before)) return note('not checked: the database cannot be read');
    return await readStore(path, (store) => check(store, { ...contextOf(path), minFree }));
  };
}

/** Runs all checks, whatever fails, and prints their results. Returns the exit code. */
export async function runChecks(
  options: CommonOptions & { readonly deep?: true; readonly contract?: string | true },
): Promise<number> {
  if (options.contract !== undefined) {
    const { reportContract } = await import('./contract.ts');
    await reportContract({ ...options, contract: options.contract });
    return EXIT.complete;
  }
  const config = getConfig();
  const findings: Finding[] = [];
  for (const [name, check] of Object.entries({ ...CHECKS, ...(options.deep ? DEEP_CHECKS : {}) })) {
    const found = await check(config, options.db, findings).catch((error: unknown) => failCheck(error, hint));
    findings.push({ check: name, ...found });
    if (!options.json) print(`${MARKS[found.status]} ${name.padEnd(9)} ${found.message.replaceAll('\n', BELOW)}`);
  }
  if (options.json) printJson({ findings });
  return findings.some(({ status }) => status === 'wrong') ? EXIT.failed : EXIT.complete;
}

/** Indents further lines below the first. */
const BELOW = `\n${' '.repeat(10)}`;

const MARKS = { ok: '✓', note: '·', wrong: '✗' } as const;

/** A difference between the clocks that is reported, and one with which the quota is not shared well. */
const NOTED_MS = SECOND;
const WRONG_MS = 10 * SECOND;

/** Connects to the Redis of the queue, and reports its form, its eviction policy and its clock. */
async function checkRedis(
  { redisUrl, runtimeDir, childEnvironment }: Config,
  db: string,
): Promise<{ status: 'ok' | 'note' | 'wrong'; message: string; figures?: object }> {
  await using redis = await startRedis({ redisUrl, runtimeDir, storePath: db, environment: childEnvironment });
  // The others are started by trawl, on this machine.
  if (redis.source !== 'url')
    return { status: redis.source === 'embedded' ? 'note' : 'ok', message: redis.description };
  const client = redis.connect();
  await client.ping();
  const state = await inspectRedis(client);
  const { evictionPolicies, clockOffsetMs } = state;
  const policies = evictionPolicies.filter((policy) => policy !== 'noeviction');
  const isClockWrong = Math.abs(clockOffsetMs) > WRONG_MS;
  const faults = [
    ...(policies.length > 0
      ? [`maxmemory-policy is ${policies.join(', ')}: set noeviction, or jobs may be evicted`]
      : []),
    ...(Math.abs(clockOffsetMs) > NOTED_MS ? [describeClock(clockOffsetMs)] : []),
  ];
  return {
    status: policies.length > 0 || isClockWrong ? 'wrong' : faults.length > 0 || lacksReplica(state) ? 'note' : 'ok',
    message: [redis.description + describeReplicas(state), ...faults].join('; '),
    figures: { clockOffsetMs: Math.round(clockOffsetMs) },
  };
}

const lacksReplica = ({ cluster }: RedisState): boolean => (cluster?.withoutReplica ?? 0) > 0;

function describeReplicas({ cluster, replicas }: RedisState): string {
  if (!cluster) return replicas === 0 ? '' : `, with ${pluralize(replicas, 'replica')}`;
  const { masters, withoutReplica } = cluster;
  const lack = withoutReplica === 0 ? '' : `, ${withoutReplica} without a replica: crawls wait if one of them stops`;
  return `, with ${pluralize(masters, 'master')}${lack}`;
}

function describeClock(offsetMs: number): string {
  const side = offsetMs > 0 ? 'ahead of' : 'behind';
  return `the clock of this machine is ${formatDuration(Math.abs(offsetMs))} ${side} that of Redis: synchronise them (NTP), since hosts share the quota by time`;
}
