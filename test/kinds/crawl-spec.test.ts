import { describe, expect, it } from 'vitest';
import { UsageError } from '#base/errors.ts';
import { createCrawlSpec } from '#service/kinds/crawl-spec.ts';
import type { CrawlOptions } from '#service/kinds/kinds.ts';

const create = (kind: string, target: string, options: CrawlOptions = {}) =>
  createCrawlSpec({ kind, target, options, priority: 'interactive' });
const target = (kind: string, text: string): string => create(kind, text).target;

describe('the target of a crawl', () => {
  it.each([
    ['nasa', 'nasa'],
    ['@NASA', 'nasa'],
    [' NASA ', 'nasa'],
    ['id:11348282', 'id:11348282'],
    ['id:007', 'id:007'],
    ['https://example.org/NASA', 'nasa'],
    ['https://example.org/@NASA/', 'nasa'],
    ['anna.b', 'anna.b'],
    ['naïve', 'naïve'],
    ['NAÏVE', 'naïve'],
    ['nai\u0308ve', 'naïve'],
    ['名前', '名前'],
    ['https://example.org/Anna.B', 'anna.b'],
    ['https://example.org/%E5%90%8D%E5%89%8D', '名前'],
    ['123', '123'],
    ['a@b.example', 'a@b.example'],
    ['@id:7', '@id:7'],
    ['@@At', '@@at'],
  ])('%s is the account %s', (typed, canonical) => expect(target('timeline', typed)).toBe(canonical));

  it.each([
    'na sa',
    'na　sa',
    'na\0sa',
    'na/sa',
    'id:',
    'id:1 2',
    'id:a.b',
    'ID:1',
    '@',
    '-',
    'x'.repeat(101),
    '\ud800',
    'https://example.org/',
    'https://example.org/nasa/status/1',
    'https://example.org/na%2Fsa',
    'https://example.org/%E5%90',
    'example.org/nasa',
  ])('%s is no account', (typed) => expect(() => target('timeline', typed)).toThrow(UsageError));

  it('keeps a handle as it was typed beside it', () => {
    expect(create('timeline', '@NASA')).toMatchObject({ target: 'nasa', handle: 'NASA' });
    expect(create('timeline', 'id:1').handle).toBeUndefined();
  });

  it('round-trips', () => {
    for (const typed of ['nasa', '@NASA', 'id:1', '@id:7', '@@At', 'NAÏVE'])
      expect(target('timeline', target('timeline', typed))).toBe(target('timeline', typed));
  });

  it('of a search is the string itself, in one Unicode form', () => {
    expect(target('search', ' "Cafe\u0301 crème" from:nasa ')).toBe('"Café crème" from:nasa');
  });

  it.each(['profile', 'search'])('of %s must not be empty', (kind) => {
    expect(() => target(kind, '  ')).toThrow(`the target of ${kind} is empty`);
  });
});

describe('the options of a crawl', () => {
  const options = (kind: string, given: CrawlOptions): string => create(kind, 'x', given).options;

  it('are equal text in any order', () => {
    expect(options('timeline', { since: 5, maxPages: 2 })).toBe(options('timeline', { maxPages: 2, since: 5 }));
    expect(options('timeline', {})).toBe('{}');
  });

  it('have one identity for no depth and the default depth of 1', () => {
    const snowball = (depth?: number): string => options('followers', { then: ['profile'], depth });
    expect(snowball(1)).toBe(snowball());
    expect(snowball(2)).not.toBe(snowball());
  });

  it('are refused for kinds that do not have them', () => {
    expect(() => options('followers', { since: 5 })).toThrow('--since does not apply to followers');
  });

  it('an unknown kind is reported with the known ones', () => {
    expect(() => target('likes', 'x')).toThrow('unknown kind "likes"');
  });
});
