import { describe, expect, it } from 'vitest';
import { createIdentityMatcher } from '#store/erasure/selection/name-matcher.ts';

const match = (
  { restIds = [], handles = [], names = [] }: { restIds?: string[]; handles?: string[]; names?: string[] },
  tweetIds: string[] = [],
) =>
  createIdentityMatcher(
    { restIds: new Set(restIds), handles: new Set(handles), names: new Set(names), reassignedHandles: [] },
    new Set(tweetIds),
  );

describe('a text of others', () => {
  const nasa = match({ restIds: ['11348282'], handles: ['nasa_now', 'moon'], names: ['Night Sky, Now', 'Moon'] }, [
    '900123456',
  ]);

  it.each([
    ['thanks @NASA_now!', 'thanks (forgotten)!'],
    ['＠nasa_now said so', '(forgotten) said so'],
    ['see nasa_now, or nasa_nowhere', 'see (forgotten), or nasa_nowhere'],
    ['mail me@nasa_now.example', 'mail me(forgotten).example'],
    ['https://x.example/nasa_now/status/900123456?s=1', 'https://x.example/(forgotten)/status/(forgotten)?s=1'],
    ['https://img.example/11348282_400x400.jpg', 'https://img.example/(forgotten)_400x400.jpg'],
    ['the moon and @Moon and from:moon', 'the moon and (forgotten) and from:(forgotten)'],
    ['by night  sky, now and then', 'by (forgotten) and then'],
    ['RT @nasa_now: all of this\nis theirs', 'RT (forgotten): (forgotten)'],
    ['9001234567 and 113482820 are other numbers', '9001234567 and 113482820 are other numbers'],
  ])('%s', (text, redacted) => {
    expect(nasa.redact(text)).toBe(redacted);
    expect(nasa.isNamedIn(text)).toBe(text !== redacted);
  });

  it('has names of scripts without spaces, and handles with characters of regular expressions', () => {
    const people = match({ handles: ['a.b+c(d'], names: ['山本さくら', 'มาลี วงศ์สวัสดิ์'] });
    expect(people.redact('今日は山本さくらさん a.b+c(d aab+c(d มาลี วงศ์สวัสดิ์')).toBe(
      '今日は(forgotten)さん (forgotten) aab+c(d (forgotten)',
    );
  });

  it('names nobody if nothing is known', () => {
    const nobody = match({});
    expect([nobody.isNamedIn('RT @: x'), nobody.redact('RT @: x (forgotten)')]).toEqual([false, 'RT @: x (forgotten)']);
    expect(nobody.isShownInBody('{"id":"1"}', true)).toBe(false);
  });
});

describe('a body', () => {
  const people = match({ restIds: ['17', '11348282'], handles: ['moon', 'nasa_now'], names: ['Night Sky'] }, ['55']);

  it.each([
    ['{"data":{"restId":"17"}}', true],
    ['{"data":{"id":17}}', true],
    ['{"count":17,"text":"17"}', true],
    ['{"followers_count":17}', false],
    ['{"tweets":[{"rest_id":"55"}]}', true],
    ['{"user":{"screenName":"MOON"}}', true],
    ['{"user":{"screenName":"mo\\u006fn"}}', true],
    ['{"text":"the moon"}', false],
    ['{"image":"https://img.example/11348282/1.jpg"}', true],
    ['<html>nasa_now</html>', true],
    ['<html>moonlight</html>', false],
  ])('%s: %s', (body, isShown) => {
    expect(people.isShownInBody(body, false)).toBe(isShown);
  });

  it('that only mentions an account in a text shows it if mentions are redacted', () => {
    const body = '{"text":"good night, @moon"}';
    expect([people.isShownInBody(body, false), people.isShownInBody(body, true)]).toEqual([false, true]);
  });
});

describe('JSON of trawl', () => {
  const people = match({ restIds: ['11348282'], handles: ['nasa_now'] }, ['900123456']);

  it('loses ids, and elements of lists that name an account', () => {
    const json = JSON.stringify({
      targets: { list: ['HarbourNews', '@nasa_now', 'id:11348282', 'from:nasa_now moon'] },
      scan: { newest: { id: '900123456', at: 5 } },
      error: 'no answer for nasa_now',
      n: 3,
    });
    expect(JSON.parse(people.scrubJson(json))).toEqual({
      targets: { list: ['HarbourNews'] },
      scan: { newest: { id: '', at: 5 } },
      error: 'no answer for (forgotten)',
      n: 3,
    });
    expect(people.scrubJson('{"n": 3}')).toBe('{"n": 3}');
  });
});

describe('a target', () => {
  const people = match({ restIds: ['123456'], handles: ['nasa_now', 'id:7'] }, ['900123456']);

  it.each([
    ['timeline', 'nasa_now', true],
    ['timeline', 'id:123456', true],
    ['timeline', '@id:7', true],
    ['timeline', 'id:7', false],
    ['timeline', '123456', false],
    ['tweet', '900123456', true],
    ['search', 'moon from:nasa_now', true],
    ['search', 'moon', false],
    ['community', '123456', false],
    ['a kind of a later version', 'nasa_now', false],
  ])('of %s: %s', (kind, target, isErased) => {
    expect(people.isTarget(kind, target)).toBe(isErased);
  });

  it('of coverage is the id of the account', () => {
    expect([people.isList('timeline', '123456'), people.isList('community', '123456')]).toEqual([true, false]);
  });
});
