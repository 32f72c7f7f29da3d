import type { AddressInfo } from 'node:net';
import { describeError, TrawlError } from './errors.ts';

/** Returns the base URL of a listening server, without a trailing slash. */
export const formatBaseUrl = ({ address, family, port }: AddressInfo): string =>
  `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;

/** Returns the error of a server that cannot listen on its address. */
export function createListenError(host: string, port: number, cause: unknown): TrawlError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const reason = code === 'EADDRINUSE' ? 'the port is in use' : describeError(cause);
  return new TrawlError(`cannot listen on ${host}:${port}: ${reason}`, {
    hint: 'Choose another with --listen.',
    cause,
  });
}
