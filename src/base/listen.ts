import { type AddressInfo, isIP } from 'node:net';
import { describeError, TrawlError } from './errors.ts';

/** Returns the base URL of a listening server, without a trailing slash. */
export const formatBaseUrl = ({ address, family, port }: AddressInfo): string =>
  `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;

/** Returns the error of a server that cannot listen on its address. @param option what gives the address */
export function createListenError(host: string, port: number, cause: unknown, option = '--listen'): TrawlError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const reason = code === 'EADDRINUSE' ? 'the port is in use' : describeError(cause);
  return new TrawlError(`cannot listen on ${host}:${port}: ${reason}`, {
    hint: `Choose another with ${option}.`,
    cause,
  });
}

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/**
 * Whether a server that listens on a host answers requests to this Host header: addresses, `localhost`, and the name that it
 * listens on. The name of another site may point at this machine (DNS rebinding).
 */
export function isOwnHost(header: string | undefined, listenHost: string): boolean {
  if (header === undefined || !URL.canParse(`http://${header}`)) return false;
  const name = new URL(`http://${header}`).hostname.replace(/^\[(.*)\]$/, '$1');
  if (isLoopback(name)) return true;
  return !isLoopback(listenHost) && (isIP(name) !== 0 || name === listenHost.toLowerCase());
}
