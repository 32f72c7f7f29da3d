import { Writable } from 'node:stream';
import { UsageError } from '#base/errors.ts';
import { createLog, type Log } from '#base/log.ts';
import { type Config, KEY_LABEL_FORM, parseApiKey, parseKeyLabel, parseServiceUrl, readConfig } from '#config.ts';
import type { ServiceKey } from '#service/quota/service-key.ts';
import type { RedisSettings, ServiceSettings } from './types.ts';

/** Returns the configuration of a library call, without environment variables. @throws UsageError */
export function createConfig(
  db: string,
  { service, redis = {} }: { service?: ServiceSettings | undefined; redis?: RedisSettings | undefined },
): Config {
  return {
    ...readConfig({}),
    db,
    ...(service && parseService(service)),
    keyLabel: service && parseLabel(service),
    redisUrl: redis.url,
    runtimeDir: redis.runtimeDir,
    ...(service?.reserve && { reserve: service.reserve }),
    ...(service?.method && { method: service.method }),
  };
}

/** @throws UsageError if the address or the key is invalid. Its message does not contain the key. */
export function parseService({ url, key }: ServiceSettings): ServiceKey {
  const apiUrl = parseServiceUrl(url);
  if (apiUrl === undefined) throw new UsageError('service.url should be an address such as https://api.example.org');
  const apiKey = parseApiKey(key);
  if (apiKey === undefined) throw new UsageError('service.key should be one line of printable ASCII');
  return { apiUrl, apiKey };
}

/** @throws UsageError if the label is invalid */
function parseLabel({ key, keyLabel }: ServiceSettings): string | undefined {
  if (keyLabel === undefined) return undefined;
  const label = parseKeyLabel(keyLabel.trim(), key);
  if (label === undefined) throw new UsageError(`service.keyLabel should be ${KEY_LABEL_FORM}`);
  return label;
}

/** Returns a log without output: the library reports through events. */
export const createSilentLog = (): Log =>
  createLog({ level: 'silent', stream: new Writable({ write: (_chunk, _encoding, done) => done() }) });
