import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ContractError } from '#base/errors.ts';
import { parseResponse } from '#service/client/parse-response.ts';

const parse = (text: string): unknown =>
  parseResponse({
    endpoint: 'search',
    status: 200,
    contentType: undefined,
    raw: Buffer.from(text),
    ms: 1,
    redact: (quoted) => quoted,
  });

test('a response is parsed like JSON.parse does, in any script, with or without a byte order mark', () => {
  const unit = fc.constantFrom('a', '"', '\\', 'é', '¿', '中', '🚀', '\u2028', '\0', '\ufeff', '\ud800');
  const json = fc.string({ unit }).map((text) => JSON.stringify({ [text]: text }));
  fc.assert(
    fc.property(json, fc.boolean(), (text, marked) => {
      expect(parse(marked ? `\ufeff${text}` : text)).toEqual(JSON.parse(text));
    }),
  );
});

test.each([100, 1_000_000])('64 levels are accepted and 65 are rejected, in a text of %i characters', (length) => {
  const nested = (levels: number): string => `${'['.repeat(levels)}"${'é'.repeat(length)}"${']'.repeat(levels)}`;
  expect(parse(nested(64))).toHaveLength(1);
  expect(() => parse(nested(65))).toThrow(ContractError);
});
