import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { describeError, UsageError } from '../../../base/errors.ts';

/** The parameters of REDIS_URL that name files in PEM format, and the options of Node that take their contents. */
const FILES = { cacert: 'ca', cert: 'cert', key: 'key' } as const;

/**
 * Returns the TLS options that parameters describe. `sni` is sent to the server, and is the name that its certificate has to
 * contain. Certificates are always checked. @throws UsageError if a file cannot be read
 */
export function readTlsFiles(parameters: URLSearchParams): ConnectionOptions {
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
