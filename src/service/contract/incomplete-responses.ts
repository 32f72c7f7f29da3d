import { isObject, type JsonObject } from './json-body.ts';

/** Signs that a response of 2xx is incomplete: its rows are stored, and it proves nothing (invariant 5). */

const DENIALS =
  /^(error|err|failed|fail|failure|partial|incomplete|denied|unavailable|timeout|aborted|ko|nok|no|false|0)$/i;
const PARTIAL_KEY = /^(is_?)?(partial|incomplete)(_?(results?|data|response))?$/i;

const isDenial = (value: unknown): boolean =>
  value === false || (typeof value === 'string' && DENIALS.test(value.trim()));
const isFailedStatus = (value: unknown): boolean =>
  isDenial(value) || (typeof value === 'number' && (value >= 400 || isPartialStatus(value)));
/** Statuses of a response without content or with a part of it (RFC 9110, 15.3; RFC 4918, 11.1). */
const isPartialStatus = (status: number): boolean => status >= 204 && status <= 207;

const isFilled = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length > 0
    : isObject(value)
      ? Object.keys(value).length > 0
      : value === true || (typeof value === 'string' && value !== '');

/**
 * Returns the sign that a response is incomplete, as a name that is equal for equal signs.
 * @param holders the body, and the objects around its list
 */
export function findIncompleteSign(
  status: number,
  [body, ...holders]: readonly [JsonObject, ...JsonObject[]],
): string | undefined {
  if (isPartialStatus(status)) return `status ${status}`;
  for (const holder of [body, ...holders]) {
    if (isFilled(holder['errors'])) return 'errors';
    const key = Object.keys(holder).find(
      (name) => PARTIAL_KEY.test(name) && (holder[name] === true || holder[name] === 'true'),
    );
    if (key !== undefined) return key;
  }
  if (isFailedStatus(body['status'])) return 'status';
  return isDenial(body['success']) || body['success'] === 0 ? 'success' : undefined;
}
