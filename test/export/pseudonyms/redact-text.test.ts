import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { extractEntities } from '#base/text.ts';
import { createPseudonymiser, redactText } from '#files/export/pseudonyms/pseudonymiser.ts';

const pseudonymiser = createPseudonymiser(randomBytes(32));
const redact = (text: string): string => redactText(text, pseudonymiser);
const handle = (name: string): string => `@${pseudonymiser.of('handle', name)}`;

test.each([
  ['@Ruth1996 Not again… 🌍', `${handle('ruth1996')} Not again… 🌍`],
  ['.@nasa (@KAH_train) and ＠esa', `.${handle('nasa')} (${handle('kah_train')}) and ${handle('esa')}`],
  ['thanks @a-b.c!', `thanks ${handle('a')}!`],
  ['see https://microblog.example/HarbourNews/status/12, now', 'see [address] now'],
  ['on sidetwo.example/listen or WWW.Example.org', 'on [address] or [address]'],
  ['Tips: desk@harbour.example', 'Tips: [address]'],
  ['ftp://x/@nasa', '[address]'],
  ['id 1609371482933060327, call 5551234', 'id [number], call [number]'],
  ['In 2025, 123456 people. 3.5 % e.g. this', 'In 2025, 123456 people. 3.5 % e.g. this'],
  ['@ alone, a@ and #tag', '@ alone, a@ and #tag'],
])('%j becomes %j', (text, redacted) => {
  expect(redact(text)).toBe(redacted);
});

test('nothing that the store takes for a mention or a link remains, in any text', () => {
  const part = fc.constantFrom(
    '@nasa',
    '@Ruth_1',
    'https://a.example/x',
    'http://b.example',
    ' ',
    '.',
    '(',
    ')',
    'a',
    '語',
    '@',
    '#',
    '_',
    '-',
    '/',
  );
  const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (original) => {
      const { mentions, links } = extractEntities(redact(original));
      expect(links).toEqual([]);
      // Pseudonyms are longer than the handles of the service.
      expect(mentions).toEqual([]);
    }),
    { numRuns: 2000 },
  );
});

test('long texts without spaces take linear time', () => {
  for (const unit of ['a', 'a.', 'a@', '@', '.', 'a-', '1', '語', ':', 'a:/'])
    expect(redact(unit.repeat(200_000)).length).toBeGreaterThan(0);
});
