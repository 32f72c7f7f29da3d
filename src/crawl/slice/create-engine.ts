import type { Clock } from '#base/clock.ts';
import { describeError } from '#base/errors.ts';
import type { Log } from '#base/log.ts';
import { VERSION } from '#base/package-root.ts';
import type { RedisClient } from '#base/redis-client.ts';
import { createBudgetCounter } from '#crawl/gates/budget-counter.ts';
import { describeOutageEvent, describeQuotaEvent } from '#crawl/gates/hold-events.ts';
import { type Breaker, createBreaker } from '#crawl/gates/outage/breaker.ts';
import type { OutageEvent } from '#crawl/gates/outage/outage-events.ts';
import type { Contact } from '#service/client/check-service.ts';
import type { Client, TokenInfo } from '#service/client/client.ts';
import { createRedactor } from '#service/client/redactor.ts';
import { createRequestCoalescer } from '#service/client/request-coalescing.ts';
import { createGovernor, type Governor, type GovernorOptions } from '#service/quota/governor.ts';
import type { QuotaEvent } from '#service/quota/ledger/quota-events.ts';
import type { QuotaSample } from '#service/quota/quota-policy.ts';
import { hashAddress, hashKey, labelByHash, LEDGER_PREFIX, type ServiceKey } from '#service/quota/service-key.ts';
import type { CrawlSource, QuotaSampleRow } from '#store/schema/commit-messages.ts';
import type { EngineDependencies, EngineQueries, EngineWriter } from './engine-dependencies.ts';
import type { SliceResult, SliceSignals } from './slice-result.ts';
import { runSlice } from './slice.ts';

/** The settings of what runs crawls. */
export interface EngineOptions {
  readonly service: ServiceKey;
  readonly config: Pick<GovernorOptions, 'reserve' | 'headroomShares'> & { readonly keyLabel: string | undefined };
  readonly log: Log;
  /** Keep every page's body; true by default. */
  readonly keepRaw?: boolean | undefined;
  /** Called with warnings about the quota; by default they are logged. */
  readonly onWarning?: ((message: string) => void) | undefined;
  /** Called when this process detects the start or the end of an outage. */
  readonly onOutage?: ((event: OutageEvent) => void) | undefined;
}

export interface EngineParts extends Pick<EngineDependencies, 'staging' | 'disk' | 'announceCrawls'> {
  readonly store: {
    readonly queries: EngineQueries;
    readonly write: EngineWriter & { addQuotaSample(sample: QuotaSampleRow): Promise<unknown> };
  };
  readonly client: Client;
  readonly contact: Contact;
  readonly initialTokenInfo: TokenInfo | undefined;
  readonly redis: { connect(): RedisClient; connectFailingFast(): RedisClient };
  readonly clock: Clock;
  /** Called when the service works again after an outage. */
  readonly resumeCrawls: () => Promise<void>;
  readonly onQuotaEvent: (event: QuotaEvent) => void;
}

/** What runs crawls, with the state that all workers of a key and of a service share. Disposal returns unused permits. */
export interface Engine extends AsyncDisposable {
  readonly governor: Governor;
  readonly breaker: Breaker;
  runSlice(crawlId: number, signals: SliceSignals): Promise<SliceResult>;
}

export function createEngine(options: EngineOptions, parts: EngineParts): Engine {
  const { service, log, onOutage } = options;
  const { store, redis, clock, resumeCrawls } = parts;
  const listener = redis.connect();
  const governor = openGovernor(options, parts, listener);
  const breaker = createBreaker({
    redis: redis.connectFailingFast(),
    listener,
    prefix: LEDGER_PREFIX,
    serviceId: hashAddress(service.apiUrl),
    clock,
    random: Math.random,
    onClosed: () =>
      void resumeCrawls().catch((error: unknown) => log.warn({ error: describeError(error) }, 'crawls resume later')),
    onEvent(event) {
      log.warn({ outage: event }, describeOutageEvent(event));
      onOutage?.(event);
    },
  });
  const dependencies: EngineDependencies = {
    ...parts,
    governor,
    breaker,
    log,
    budgets: createBudgetCounter({ queries: store.queries, clock }),
    coalescer: createRequestCoalescer(clock),
    random: Math.random,
    keepRaw: options.keepRaw ?? true,
    source: describeSource(service, options.config.keyLabel),
  };
  return {
    governor,
    breaker,
    runSlice: (crawlId, signals) => runSlice(crawlId, dependencies, signals),
    [Symbol.asyncDispose]: () => governor[Symbol.asyncDispose](),
  };
}

function openGovernor(
  { config, service, log, onWarning = (message) => log.warn(message) }: EngineOptions,
  { client, redis, store, initialTokenInfo, clock, onQuotaEvent }: EngineParts,
  listener: RedisClient,
): Governor {
  const { reserve, headroomShares } = config;
  const keyHash = hashKey(service);
  // A record with one sample less is still useful.
  const storeSample = (sample: QuotaSample): void =>
    void store.write.addQuotaSample({ ...sample, keyHash }).catch(() => undefined);
  // Recorded requests do not have the key: the first sample of a process shows which key it uses.
  if (initialTokenInfo) storeSample(initialTokenInfo);
  return createGovernor({
    redis: redis.connect(),
    listener,
    prefix: LEDGER_PREFIX,
    keyId: keyHash,
    tokenInfo: (signal) => client.tokenInfo(signal),
    reserve,
    headroomShares,
    clock,
    onSample: storeSample,
    onEvent(event) {
      log.info({ quota: event }, describeQuotaEvent(event));
      onQuotaEvent(event);
    },
    onWarning,
  });
}

/** What a process crawls with, without the key: `parseServiceUrl` accepts no user, password or query. */
export function describeSource(service: ServiceKey, keyLabel = labelByHash(service)): CrawlSource {
  const { host, pathname } = new URL(service.apiUrl);
  const serviceHost = createRedactor(service.apiKey).text(`${host}${pathname.replace(/\/+$/, '')}`);
  return { trawlVersion: VERSION, serviceHost, keyLabel };
}
