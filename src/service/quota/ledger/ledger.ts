import { MINUTE, SECOND } from '#base/clock.ts';
import type { RedisClient } from '#base/redis-client.ts';
import { type ByPriority, mapPriorities, PRIORITIES, type Priority } from '#service/quota/priorities.ts';
import type { QuotaSample } from '#service/quota/quota-policy.ts';
import { buildScript, SCRIPTS } from './ledger-lua.ts';

/** Settlements and a request for permits, in one call. */
export interface AcquireRequest {
  /** Serials of the reservations that end: the request was sent, or was not. */
  readonly sent: readonly number[];
  readonly unsent: readonly number[];
  /** The serial of the first permit; the others follow. */
  readonly firstSerial: number;
  /** Permits for requests to be sent now, and soon. */
  readonly wanted: number;
  readonly prefetch: number;
  /** Grant none rather than fewer of `wanted`, unless no more can ever be granted. */
  readonly fewest: number;
  readonly now: number;
  /** Grant by the estimate even if a poll is due. */
  readonly force: boolean;
  /** The priority whose headroom applies. */
  readonly priority: Priority;
}

/** Why a request may not be sent now. */
export type PermitRefusal =
  /** token-info has to be polled first; `usable`: the estimate suffices meanwhile. */
  | { readonly kind: 'ask'; readonly usable: boolean }
  /** There is no estimate, and a poll is running or not yet due. */
  | { readonly kind: 'wait'; readonly until: number }
  /** The priority pauses: when to check again, and the expected end if known. */
  | { readonly kind: 'low'; readonly lookAt: number; readonly endsAt: number | undefined }
  | { readonly kind: 'refused'; readonly until: number }
  | { readonly kind: 'dead' };

/** A poll of token-info that has begun. */
export interface PollTurn {
  readonly token: string;
  readonly seq: number;
  /** Requests counted as spent at the start: the sample includes them. */
  readonly spentAtStart: number;
  /** Of an outage of token-info: when it may be polled again. */
  readonly askAgainAt: number | undefined;
}

/** A sample; `windowMs` is a lower bound of the window by token-info. */
export type AppliedSample = QuotaSample & { readonly windowMs?: number | undefined };

export type Ledger = ReturnType<typeof createLedger>;

/** Fields to write; undefined deletes. */
export interface LedgerUpdate {
  readonly all?: { readonly [K in LedgerField]?: number | undefined };
  readonly priorities?: ByPriority<{ readonly [K in PriorityField]?: number | undefined }>;
  /** An empty list deletes. */
  readonly spentCounts?: readonly SpentCount[];
}

/** A state that began or ended with an update; exactly one process receives it. */
export interface LedgerChange {
  readonly what: 'blocked' | 'out' | `paused:${Priority}`;
  /** When a state that ended had begun. */
  readonly since: number | undefined;
}

/** An unsettled reservation counts as spent after this time. */
export const RESERVATION_LIFE = MINUTE;
/** A poll takes no longer; the lock of a worker that died polling is free after it. */
export const POLL_LIFE = 10 * SECOND;

type AcquireReply = [
  granted?: number,
  prefetched?: number,
  until?: string,
  kind?: string,
  value?: string,
  more?: string,
];
type Reply = string | (string | number)[] | null;
type Run = (name: keyof typeof SCRIPTS, ...args: (string | number)[]) => Promise<Reply>;

/** The quota ledger in Redis, shared by all workers of one key, for one holder of reservations. Every method is atomic. */
export function createLedger(options: { readonly redis: RedisClient; readonly key: string; readonly holder: string }) {
  const keys = [options.key, `${options.key}:open`, `${options.key}:poll`] as const;
  const run = runner(options.redis, keys);
  return {
    /**
     * Settles reservations and requests permits. Returns the numbers of permits granted of `wanted` and in advance, the
     * expiry of the latter (undefined where nothing may be prefetched), and the reason if not all were granted.
     */
    async acquire(request: AcquireRequest) {
      const { sent, unsent, firstSerial, wanted, prefetch, fewest, now, force, priority } = request;
      const wish = [firstSerial, wanted, prefetch, now, now + RESERVATION_LIFE, force ? 1 : 0, priority, fewest];
      const reply = await run('acquire', options.holder, sent.join(), unsent.join(), ...wish);
      const [granted = 0, prefetched = 0, until, kind = '', value = '', more = ''] = reply as AcquireReply;
      return { granted, prefetched, prefetchedUntil: parseNumber(until), refusal: REFUSALS[kind]?.(value, more) };
    },
    /** Begins a poll; undefined if another process polls, or too early. */
    async startPoll(token: string, now: number, force: boolean): Promise<PollTurn | undefined> {
      const reply = (await run('startPoll', token, now, POLL_LIFE, force ? 1 : 0)) as string[];
      const [seq, spentAtStart, askAgainAt] = reply;
      if (seq === undefined) return undefined;
      return {
        token,
        seq: Number(seq),
        spentAtStart: Number(spentAtStart),
        askAgainAt: parseNumber(askAgainAt),
      };
    },
    /** Sets the estimate by a sample; undefined if a later sample was applied before. */
    async applySample(
      { seq, spentAtStart }: PollTurn,
      { remaining, limit, resetAt, at, windowMs }: AppliedSample,
      headrooms: ByPriority<number>,
    ) {
      const sample = [Math.max(0, remaining), limit, resetAt ?? '', at, windowMs ?? ''];
      const kept = PRIORITIES.flatMap((one) => [one, headrooms[one]]);
      const [estimate, open, ...pauses] = (await run('applySample', seq, spentAtStart, ...sample, ...kept)) as string[];
      if (estimate === undefined) return undefined;
      const pauseOf = (one: Priority) => {
        const [pausedSince, resumeBy] = pauses.slice(2 * PRIORITIES.indexOf(one));
        return { pausedSince: parseNumber(pausedSince), resumeBy: parseNumber(resumeBy) };
      };
      return { estimate: Number(estimate), open: Number(open), pauses: mapPriorities(pauseOf) };
    },
    /** Writes an update and ends the poll. */
    async record(
      token: string,
      now: number,
      { all = {}, priorities, spentCounts }: LedgerUpdate,
    ): Promise<LedgerChange[]> {
      const ofPriority = (one: Priority) =>
        Object.entries(priorities?.[one] ?? {}).map(([field, value]) => [`${field}:${one}`, value] as const);
      const fields = [...Object.entries(all), ...PRIORITIES.flatMap(ofPriority)];
      const texts: (readonly [string, string | number])[] = fields.map(([field, value]) => [field, value ?? '']);
      if (spentCounts) texts.push(['marks', spentCounts.length === 0 ? '' : JSON.stringify(spentCounts)]);
      const changes = (await run('record', token, now, ...texts.flat())) as string[];
      return changes.flatMap((field, i) =>
        i % 2 === 0
          ? [{ what: field.replace('Since', '') as LedgerChange['what'], since: parseNumber(changes[i + 1]) }]
          : [],
      );
    },
    /** Blocks all workers. Returns the end of the block, and whether no other refusal is active. */
    async recordRefusal(until: number, now: number) {
      const [blocked, first] = (await run('recordRefusal', until, now)) as string[];
      return { until: Number(blocked), isFirst: first === '1' };
    },
    /** Whether this process is the first to record it. */
    recordDeadKey: async (): Promise<boolean> => (await run('recordDeadKey')) === '1',
    async readSnapshot(): Promise<LedgerSnapshot> {
      const [texts, open] = await Promise.all([options.redis.hgetall(keys[0]), options.redis.zcard(keys[1])]);
      return parseSnapshot(texts, open);
    },
  };
}

const REFUSALS: Readonly<Record<string, (value: string, more: string) => PermitRefusal>> = {
  ask: (value) => ({ kind: 'ask', usable: value === '1' }),
  wait: (value) => ({ kind: 'wait', until: Number(value) }),
  low: (value, more) => ({ kind: 'low', lookAt: Number(value), endsAt: parseNumber(more) }),
  refused: (value) => ({ kind: 'refused', until: Number(value) }),
  dead: () => ({ kind: 'dead' }),
};

/** Defines the scripts on a connection, once: ioredis then sends only their hash. */
function runner(redis: RedisClient, keys: readonly string[]): Run {
  const commands = redis as unknown as Record<string, (...args: (string | number)[]) => Promise<Reply>>;
  const command = (name: keyof typeof SCRIPTS): string => `trawlQuota_${name}`;
  for (const name of Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[]) {
    if (!(command(name) in redis))
      redis.defineCommand(command(name), { numberOfKeys: keys.length, lua: buildScript(name) });
  }
  return (name, ...args) => commands[command(name)]!(...keys, ...args);
}

/** The number of all requests that were sent until a time. Lists of them are in chronological order. */
export type SpentCount = readonly [at: number, spent: number];

/** The state of the ledger, a hash in Redis. ledger-lua.ts explains its fields. */

/** Fields of each priority. */
const PER_PRIORITY = ['headroom', 'pollBelow', 'pausedSince', 'lookAt', 'endsAt', 'resumeBy'] as const;
type PriorityField = (typeof PER_PRIORITY)[number];
type LedgerField =
  | `${PriorityField}:${Priority}`
  | ('spent' | 'ceiling' | 'limit' | 'remaining' | 'resetAt' | 'sampledAt' | 'nextPollAt' | 'probeUntil')
  | ('blockedUntil' | 'blockedSince' | 'seq' | 'refusedSeq' | 'deadSeq' | 'appliedSeq')
  // The limit by token-info, and a lower bound of the window.
  | ('tokenInfoLimit' | 'windowMs')
  // token-info is out.
  | ('outSince' | 'askAgainAt');
type PriorityFields = Readonly<Partial<Record<PriorityField, number>>>;
export type LedgerFields = Readonly<Partial<Record<LedgerField, number>>>;

/** The ledger at a moment. */
export interface LedgerSnapshot {
  readonly fields: LedgerFields;
  readonly open: number;
  /** A lower bound of the remaining quota; undefined before the first sample. */
  readonly estimate: number | undefined;
  readonly priorities: ByPriority<PriorityFields>;
  /** Whether the estimate allows requests of a priority. */
  readonly isUsable: ByPriority<boolean>;
  readonly isKeyDead: boolean;
  readonly spentCounts: readonly SpentCount[];
}

/** A number in a text of Redis; undefined if it is empty. */
const parseNumber = (text: string | undefined): number | undefined => (text ? Number(text) : undefined);

/** @param texts the fields of the hash, with the spent counts as `marks`. @param open the number of open reservations. */
function parseSnapshot(texts: Readonly<Record<string, string>>, open: number): LedgerSnapshot {
  const { marks, ...numbers } = texts;
  const fields: LedgerFields = Object.fromEntries(
    Object.entries(numbers).map(([field, text]) => [field, parseNumber(text)]),
  );
  const { ceiling, spent = 0, refusedSeq, deadSeq, appliedSeq = 0 } = fields;
  const estimate = ceiling === undefined ? undefined : ceiling - spent - open;
  const isRefused = fields.blockedUntil !== undefined || (refusedSeq !== undefined && refusedSeq >= appliedSeq);
  const priorities = mapPriorities((one): PriorityFields =>
    Object.fromEntries(PER_PRIORITY.map((field) => [field, fields[`${field}:${one}`]])),
  );
  const isUsable = ({ pausedSince, headroom }: PriorityFields): boolean =>
    pausedSince === undefined && !isRefused && estimate !== undefined && headroom !== undefined && estimate > headroom;
  return {
    fields,
    priorities,
    open,
    estimate,
    isUsable: mapPriorities((one) => isUsable(priorities[one])),
    isKeyDead: deadSeq !== undefined && deadSeq >= appliedSeq,
    spentCounts: JSON.parse(marks ?? '[]') as SpentCount[],
  };
}
