import { InvalidArgumentError } from 'commander';
import { describe, expect, test } from 'vitest';
import { parseMemory, parseParameter, parseTimeout } from '#cli/sql/option-parsers.ts';

describe('a parameter', () => {
  test.each<[text: string, name: string, value: unknown]>([
    ['handle=nasa', 'handle', 'nasa'],
    [':handle=nasa', 'handle', 'nasa'],
    ['id=0012345678901234567890', 'id', '0012345678901234567890'],
    ['n=10', 'n', '10'],
    ['url=https://example.org/?a=b:=c', 'url', 'https://example.org/?a=b:=c'],
    ['empty=', 'empty', ''],
    ['lines=a\nb', 'lines', 'a\nb'],
    ['n:=10', 'n', 10n],
    ['n:=-9223372036854775808', 'n', -9223372036854775808n],
    ['x:=1.5', 'x', 1.5],
    ['x:=-.5e3', 'x', -500],
    ['x:=null', 'x', null],
    ['1=first', '1', 'first'],
  ])('%j', (text, name, value) => {
    expect(parseParameter(text)).toEqual({ [name]: value });
  });

  test('joins those before it', () => {
    expect(parseParameter('b=2', parseParameter('a=1'))).toEqual({ a: '1', b: '2' });
  });

  test.each(['handle', '=nasa', 'n:=', 'n:=ten', 'n:=0x10', 'n:=9223372036854775808', ''])('%j is refused', (text) => {
    expect(() => parseParameter(text)).toThrow(InvalidArgumentError);
  });

  test('has one value', () => {
    expect(() => parseParameter('a=2', { a: '1' })).toThrow('The parameter a has two values.');
  });
});

test('a time limit is a duration that a timer can wait for', () => {
  expect(['300ms', '5s', '24d'].map(parseTimeout)).toEqual([300, 5000, 24 * 86_400_000]);
  for (const text of ['0s', '25d', '5', '-1s', 'soon']) expect(() => parseTimeout(text)).toThrow(InvalidArgumentError);
});

test('a memory limit is a size with room for the process itself', () => {
  expect(['100MB', '1.5GB', '500 mb'].map(parseMemory)).toEqual([100e6, 1.5e9, 500e6]);
  for (const text of ['99MB', '1000', '10%', '0', 'much'])
    expect(() => parseMemory(text)).toThrow(InvalidArgumentError);
});
