import { createHash } from 'node:crypto';

/** The address of a service, and an API key for it. */
export interface ServiceKey {
  readonly apiUrl: string;
  readonly apiKey: string;
}

/** The prefix of ledgers and circuit breakers in Redis: crawls into several stores share the ledger of a key. */
export const LEDGER_PREFIX = 'trawl';

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** Identifies a key in Redis and in the store without revealing it. The same key at another address has another quota. */
export const hashKey = ({ apiUrl, apiKey }: ServiceKey): string => hash(`${apiUrl}\n${apiKey}`);

/** Returns the label of a key without one of its own: the start of its hash. */
export const labelByHash = (key: ServiceKey): string => `key-${hashKey(key).slice(0, 8)}`;

/** Identifies a service in Redis: all keys of a service share its circuit breaker. */
export const hashAddress = (apiUrl: string): string => hash(apiUrl.replace(/\/+$/, ''));
