import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { parseCookie } from 'cookie';

/** Who may read and change: decisions on a request by its headers alone. */

/** What every response allows its page: its own files and nothing else, without inline scripts and styles. */
export const SECURITY_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** Creates a token of 192 random bits. */
export const createToken = (): string => randomBytes(24).toString('base64url');

/** The cookie with the token. Ports share cookies. */
export const tokenCookieOf = (port: number): string => `trawl-token-${port}`;
export const THEME_COOKIE = 'trawl-theme';

/** Whether a request comes from a page of this server, from the address bar or from a program, and not from another site. */
export function isSameOrigin({ host, origin, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}

/** Whether a request has the token, in the cookie or as a bearer token. */
export function hasToken({ authorization, cookie }: IncomingHttpHeaders, token: string, cookieName: string): boolean {
  const [, bearer] = /^Bearer (.+)$/.exec(authorization ?? '') ?? [];
  return isSameText(bearer ?? readCookie(cookie, cookieName) ?? '', token);
}

export const readCookie = (header: string | undefined, name: string): string | undefined =>
  parseCookie(header ?? '')[name];

/** Compares in constant time. */
export function isSameText(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
