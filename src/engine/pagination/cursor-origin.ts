import { createHash } from 'node:crypto';
import type { CursorOrigin } from '../../kinds/checkpoint.ts';

/** A request, as far as it must be equal for a cursor to be valid. */
export type CursorRequest = Pick<CursorOrigin, 'endpoint' | 'parameters'>;

/** A short digest, for comparisons only. */
export const digestText = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 12);

export const toCursorRequest = (endpoint: string, parameter: string, value: string): CursorRequest => ({
  endpoint,
  parameters: digestText(`${parameter}=${value}`),
});

export const isIssuedFor = (origin: CursorOrigin, { endpoint, parameters }: CursorRequest): boolean =>
  origin.endpoint === endpoint && origin.parameters === parameters;
