import { createHash } from 'node:crypto';

/** What a cursor was issued for: a cursor is the service's, and means nothing to any other request. */
export interface CursorOrigin {
  readonly endpoint: string;
  /** Digest of the request's other parameters. */
  readonly parameters: string;
  readonly issuedAt: number;
  /** Of how many pages it came. */
  readonly page: number;
  /** The last ids of the page that it came with. */
  readonly lastIds: readonly string[];
}

/** What is asked for. */
export type CursorRequest = Pick<CursorOrigin, 'endpoint' | 'parameters'>;

const LAST_IDS = 2;

export const toCursorRequest = (endpoint: string, parameter: string, value: string): CursorRequest => ({
  endpoint,
  parameters: createHash('sha256').update(`${parameter}=${value}`).digest('base64url').slice(0, 12),
});

export const createCursorOrigin = (
  request: CursorRequest,
  { at, page, ids }: { at: number; page: number; ids: readonly string[] },
): CursorOrigin => ({ ...request, issuedAt: at, page, lastIds: ids.slice(-LAST_IDS) });

export const isIssuedFor = (passport: CursorOrigin, { endpoint, parameters }: CursorRequest): boolean =>
  passport.endpoint === endpoint && passport.parameters === parameters;
