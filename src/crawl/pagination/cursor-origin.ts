import { hash } from 'node:crypto';
import type { CursorOrigin } from '#service/kinds/checkpoint.ts';
import type { PageRequest } from '#store/normalise/parse-page.ts';

/** A request, as far as it must be equal for a cursor to be valid. */
export type CursorRequest = Pick<CursorOrigin, 'endpoint' | 'parameters'>;

/** A short digest, for comparisons only. */
export const digestText = (text: string): string => hash('sha256', text, 'base64url').slice(0, 12);

/** A digest of the items of a page, in any order: a service may show a page again in another one. */
export const digestItems = (ids: readonly string[]): string => digestText(ids.toSorted().join(' '));

export const toCursorRequest = ({ endpoint, value }: PageRequest): CursorRequest => ({
  endpoint,
  parameters: digestText(value),
});

export const isIssuedFor = (origin: CursorOrigin, { endpoint, parameters }: CursorRequest): boolean =>
  origin.endpoint === endpoint && origin.parameters === parameters;
