import { type AddressInfo, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describeError, TrawlError } from './errors.ts';

/** Returns the base URL of a listening server, without a trailing slash. */
export const formatBaseUrl = ({ address, family, port }: AddressInfo): string =>
  `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;

/** Returns the base URLs of a listening server: one, or those of all addresses of this machine, loopback first. */
export function listBaseUrls(bound: AddressInfo): string[] {
  const isDual = bound.address === '::';
  if (!isDual && bound.address !== '0.0.0.0') return [formatBaseUrl(bound)];
  const others = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    // A link-local address needs the name of an interface, which a URL does not have.
    .filter(
      ({ internal, family, address }) => !internal && (family === 'IPv4' || (isDual && !address.startsWith('fe80:'))),
    );
  return [
    formatBaseUrl({ ...bound, address: '127.0.0.1', family: 'IPv4' }),
    ...others.map(({ address, family }) => formatBaseUrl({ ...bound, address, family })),
  ];
}

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
 * Whether a server that listens on a host answers requests to this Host header: addresses, `localhost`, the name that it
 * listens on, and other names that are allowed. The name of another site may point at this machine (DNS rebinding).
 */
export function isOwnHost(
  header: string | undefined,
  listenHost: string,
  allowedHosts: readonly string[] = [],
): boolean {
  if (header === undefined || !URL.canParse(`http://${header}`)) return false;
  const name = new URL(`http://${header}`).hostname.replace(/^\[(.*)\]$/, '$1');
  if (isLoopback(name) || allowedHosts.some((host) => host.toLowerCase() === name)) return true;
  return !isLoopback(listenHost) && (isIP(name) !== 0 || name === listenHost.toLowerCase());
}
