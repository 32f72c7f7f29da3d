import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { QuotaExceededError, ServiceError, TransientError } from '#base/errors.ts';
import { createStatusError, parseRetryAfter } from '#service/client/parse-response.ts';

const refusal = { endpoint: 'followers', headers: {}, storedHeaders: '{}', body: '', ms: 1, now: 0 } as const;

test.each([
  [{ ...refusal, status: 401 }, 'the service refused the API key (401)', 'Check TRAWL_API_KEY.'],
  [{ ...refusal, status: 404 }, 'followers answered 404 Not Found: the user does not exist', undefined],
  [
    { ...refusal, endpoint: 'search' as const, status: 404 },
    'search answered 404 Not Found',
    'Is TRAWL_API_URL the base address of the service?',
  ],
  [
    { ...refusal, status: 400, body: '{"title":"Bad","detail":"restId is missing"}' },
    'followers answered 400 Bad Request: restId is missing',
    undefined,
  ],
  [{ ...refusal, status: 503, body: '<html>down</html>' }, 'followers answered 503 Service Unavailable', undefined],
  [{ ...refusal, status: 599 }, 'followers answered 599', undefined],
])('%o has a hint', (given, message, hint) => {
  expect(createStatusError(given)).toMatchObject({ message, hint });
});

test('every status gives a typed error', () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 999 }), fc.string(), (status, body) => {
      const error = createStatusError({ ...refusal, status, body });
      expect(error).toBeInstanceOf(ServiceError);
      expect(error.status).toBe(status);
    }),
  );
});

test.each([408, 425, 500, 502, 503, 504, 599])('%i is transient: the same request may succeed later', (status) => {
  expect(createStatusError({ ...refusal, status })).toBeInstanceOf(TransientError);
});

describe('Retry-After', () => {
  const now = Date.UTC(2026, 0, 1, 12);
  test.each([
    ['120', undefined, 120_000],
    ['0', undefined, 0],
    ['1.5', undefined, 1500],
    ['Thu, 01 Jan 2026 12:00:30 GMT', undefined, 30_000],
    ['Thu, 01 Jan 2026 11:00:00 GMT', undefined, 0],
    ['Thu, 01 Jan 2026 09:00:30 GMT', 'Thu, 01 Jan 2026 09:00:00 GMT', 30_000],
    ['soon', undefined, undefined],
    ['-5', undefined, undefined],
    ['', undefined, undefined],
    ['99999999999999999999', undefined, undefined],
    [undefined, undefined, undefined],
  ])('%s with Date %s is %s ms', (value, date, ms) => {
    expect(parseRetryAfter(value, date, now)).toBe(ms);
  });

  test.each([400, 401, 403, 404, 408, 425, 500, 503])('is read of a %i', (status) => {
    const headers = { 'retry-after': '7' };
    expect(createStatusError({ ...refusal, status, headers })).toMatchObject({ retryAfterMs: 7000 });
  });

  test('is read of a 429', () => {
    const error = createStatusError({ ...refusal, status: 429, headers: { 'retry-after': '7' } });
    expect(error).toBeInstanceOf(QuotaExceededError);
    expect(error).toMatchObject({ retryAfterMs: 7000 });
  });
});
