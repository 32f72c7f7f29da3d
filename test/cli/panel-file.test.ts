import { describe, expect, test } from 'vitest';
import { UsageError } from '#base/errors.ts';
import { parsePanelFile } from '#cli/panel/import.ts';

const parse = (text: string) =>
  parsePanelFile(text).rows.map(({ account, note }) => [account.target, account.handle, note]);

/** The message of the error that a file causes. */
function errorOf(text: string): string {
  try {
    parsePanelFile(text);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error('the file is valid');
}

describe('the CSV file of a panel', () => {
  test.each([
    ['commas', 'rest_id,handle,note\n12,nasa,"a, b"\n'],
    ['semicolons and CRLF', 'rest_id;handle;note\r\n12;nasa;a, b\r\n'],
    ['tabs', 'rest_id\thandle\tnote\n12\tnasa\ta, b'],
    ['quoted names in capitals and another order', '"Note","Handle","REST_ID"\n"a, b","@nasa","id:12"\n'],
    ['empty lines and lines of empty cells', 'rest_id,handle,note\n\n12,nasa,"a, b"\n,,\n\n'],
  ])('may have %s', (_, text) => {
    expect(parse(text)).toEqual([['id:12', 'nasa', 'a, b']]);
  });

  test('needs no column but an id or a handle', () => {
    expect(parse('rest_id\n1790000000000000001\n0007\n')).toEqual([
      ['id:1790000000000000001', undefined, null],
      ['id:0007', undefined, null],
    ]);
    expect(parse('handle\nnasa\n@Esa\nhttps://example.org/jaxa\nid:5\n')).toEqual([
      ['nasa', 'nasa', null],
      ['esa', 'Esa', null],
      ['jaxa', 'jaxa', null],
      ['id:5', undefined, null],
    ]);
  });

  test('may name an account twice, and have other columns: both are reported', () => {
    const file = parsePanelFile('rest_id,name,note,\n1,Ada,first,\n2,Bob,,\n1,Ada,second,\n');
    expect(file).toMatchObject({ otherColumns: ['name'], duplicateLines: [4] });
    expect(file.rows.map(({ note }) => note)).toEqual(['first', null]);
  });

  test.each([
    ['1.23E+18', 'line 2: 1.23E+18 is a number, not an id: a spreadsheet has changed it.'],
    ['"1,23E+18"', 'line 2: 1,23E+18 is a number, not an id'],
    ['1E18', 'line 2: 1E18 is a number'],
    ['11348282.0', 'line 2: 11348282.0 is a number'],
    ['na sa', 'line 2: "na sa" is not an id'],
    ['"\u001B[2J"', 'line 2: "[2J" is not an id'],
  ])('with the id %s is refused', (id, message) => {
    expect(errorOf(`rest_id,handle\n${id},nasa\n`)).toContain(message);
  });

  test('whose long ids all end in zeros was rounded by a spreadsheet', () => {
    const rounded = ['1790000123456780000', '1234567890123450000', '11348282'];
    expect(errorOf(`rest_id\n${rounded.join('\n')}\n`)).toMatch(
      /the ids end in zeros after 15 digits, as in 1790000123456780000/,
    );
    // By chance.
    expect(parse(`rest_id\n${rounded[0]}\n`)).toHaveLength(1);
    expect(parse(`rest_id\n${rounded.join('\n')}\n1790000123456789012\n`)).toHaveLength(4);
  });

  test('is refused with all errors', () => {
    expect(errorOf('rest_id,handle,note\n1.5,,\n,na sa,\n,,no account\n2,b,\n').split('\n')).toEqual([
      'nothing was imported',
      expect.stringMatching(/^ {2}line 2: 1\.5 is a number/),
      expect.stringMatching(/^ {2}line 3: "na sa" is not an account/),
      '  line 4: neither an id nor a handle',
    ]);
    const many = errorOf(`rest_id\n${'x y\n'.repeat(30)}`).split('\n');
    expect(many).toHaveLength(12);
    expect(many.at(-1)).toBe('  and 20 more');
  });

  test.each([
    ['', 'the file is empty'],
    ['nasa\nesa\n', 'the file has neither a column rest_id nor a column handle'],
    ['rest_id,note\n1,"open\n', 'the file is not CSV: '],
  ])('%j is refused', (text, message) => {
    expect(errorOf(text)).toContain(message);
  });
});
