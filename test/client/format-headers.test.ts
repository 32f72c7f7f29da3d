import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatHeaders } from '#service/client/exchange.ts';
import { createRedactor } from '#service/client/redactor.ts';

const KEY = 'canary-7f3a/+%="key';
type Headers = Parameters<typeof formatHeaders>[0];

const format = (headers: Headers, key = KEY): string => formatHeaders(headers, createRedactor(key).text);
const parsed = (headers: Headers, key?: string): unknown => JSON.parse(format(headers, key));

describe('the stored headers of a response', () => {
  it('are all end-to-end headers, also unknown ones, and all values of a repeated one', () => {
    const kept = {
      date: 'Sun, 22 Nov 2026 23:00:00 GMT',
      server: 'nginx',
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      etag: 'W/"5-abc"',
      age: '12',
      'cache-control': 'max-age=60',
      'x-ratelimit-limit': '900',
      'x-ratelimit-remaining': '3',
      'x-ratelimit-reset': '1795388400',
      via: ['1.1 one', '1.1 two'],
      'x-served-by': 'cache-7',
      'x-something-new': '1',
    };
    const connection = { connection: 'keep-alive', 'keep-alive': 'timeout=5', 'transfer-encoding': 'chunked' };
    expect(parsed({ ...kept, ...connection })).toEqual(kept);
  });

  it.each([
    'set-cookie',
    'set-cookie2',
    'authorization',
    'proxy-authenticate',
    'www-authenticate',
    'authentication-info',
    'x-auth-token',
    'x-csrf-token',
    'x-xsrf',
    'x-session-id',
    'x-api-key',
    'x_api_key',
    'x-amz-security-token',
    'x-jwt',
    'x-forwarded-for',
    'x-client-ip',
    'cf-connecting-ip',
    'remote_addr',
  ])('lack %s, and count its lines', (name) => {
    expect(parsed({ server: 'nginx', [name]: ['a', 'b'] })).toEqual({ server: 'nginx', '(omitted)': 2 });
  });

  it.each([
    ['as it is', `id=${KEY};`],
    ['in other letters', KEY.toUpperCase()],
    ['in a URL', `https://api.example.org/?key=${encodeURIComponent(KEY)}`],
    ['in JSON', JSON.stringify({ key: KEY })],
  ])('never contain the API key (%s)', (_, value) => {
    const json = format({ server: 'nginx', link: ['first', value], 'x-echo': value });
    expect(json).not.toMatch(/canary|7f3a/i);
    expect(JSON.parse(json)).toMatchObject({ server: 'nginx', link: ['first', expect.stringContaining('[key]')] });
  });

  it('do not contain the key in a name', () => {
    expect(parsed({ 'x-0123456789abcdef': '1' }, '0123456789abcdef')).toEqual({ 'x-[key]': '1' });
  });

  it('stay JSON if the key matches its punctuation', () => {
    expect(parsed({ server: 'nginx', via: 'proxy' }, '","')).toEqual({ server: 'nginx', via: 'proxy' });
  });

  it('have at most 4,096 characters: the longest are left out and counted', () => {
    const short = { date: 'Sun, 22 Nov 2026 23:00:00 GMT', 'x-ratelimit-remaining': '3' };
    const long = { 'content-security-policy': 'x'.repeat(4000), link: ['y'.repeat(2500), 'y'.repeat(2500)] };
    const json = format({ ...long, ...short });
    expect(JSON.parse(json)).toEqual({ ...short, '(omitted)': 3 });

    const many = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`x-${i}`, 'value']));
    const kept = JSON.parse(format(many)) as Record<string, unknown>;
    expect(format(many).length).toBeLessThanOrEqual(4096);
    expect(Object.keys(kept).length - 1 + Number(kept['(omitted)'])).toBe(600);
  });

  it('keep a name of JavaScript', () => {
    const json = format(JSON.parse('{"__proto__":"a","constructor":"b"}') as Headers);
    expect(json).toBe('{"__proto__":"a","constructor":"b"}');
  });

  it('are JSON of at most 4,096 characters without the key, whatever is sent', () => {
    const value = fc.oneof(fc.string(), fc.string({ minLength: 500, maxLength: 3000 }), fc.constant(`a${KEY}b`));
    const field = fc.oneof(value, fc.array(value, { minLength: 1, maxLength: 4 }));
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z0-9_-]{1,20}$/), field, { maxKeys: 12 }), (headers) => {
        const json = format(headers);
        expect(json.length).toBeLessThanOrEqual(4096);
        expect(createRedactor(KEY).text(json)).toBe(json);
        expect(typeof JSON.parse(json)).toBe('object');
      }),
    );
  });
});
