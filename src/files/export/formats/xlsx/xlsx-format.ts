import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { measureWidth } from '#analysis/sql/printable-text.ts';
import type { SqlValue } from '#analysis/sql/sql-query.ts';
import { UsageError } from '#base/errors.ts';
import { formatCount } from '#base/text.ts';
import { convertRows, createRowConverter, toText, type Value } from '#files/export/formats/format-values.ts';
import type { FormatOptions, Sink } from '#files/export/formats/output-format.ts';
import { joinPieces, reportRows } from '#files/export/formats/text-format.ts';
import type { ResultColumn, ResultSet } from '#files/export/result-set.ts';
import { MAX_CELL_LENGTH, MAX_ROWS, MAX_DIGITS } from './xlsx-limits.ts';

/** The widths of columns come from the first rows, and have limits. */
const MEASURED_ROWS = 200;
const NARROWEST = 8;
const WIDEST = 60;

/** Equal rows make equal files. The level of compression: decision 48. */
const ENTRY = { mtime: new Date(2000, 0, 1), compressionLevel: 3 };

const OTHER_FORMATS = 'csv, jsonl, json and parquet have no such limit.';

/**
 * Writes an xlsx workbook with one worksheet. @throws UsageError for too many rows, or for a text that is too long for a
 * cell: the file is then incomplete
 */
export async function writeXlsx(result: ResultSet, sink: Sink, options: FormatOptions = {}): Promise<number> {
  const { onRows, signal } = options;
  const { columns } = result;
  let count = 0;
  const rows = reportRows(readFittingRows(result), (written) => {
    count = written;
    if (written % 10_000 === 0) onRows?.(written);
  });
  const zip = new ZipFile();
  for (const [path, text] of Object.entries(PARTS)) zip.addBuffer(Buffer.from(text), path, ENTRY);
  // A sheet needs rows, and a zip file a source: a generator is both, and is closed with the source.
  const sheet = Readable.from(encodeChunks(formatWorksheet({ columns, widths: measureColumns(result), rows })), {
    highWaterMark: 1,
  });
  sheet.once('error', (error) => (zip.outputStream as Readable).destroy(error));
  zip.addReadStream(sheet, WORKSHEET_PATH, ENTRY);
  zip.end();
  try {
    for await (const chunk of zip.outputStream as Readable) {
      signal?.throwIfAborted();
      await sink.write(chunk as Buffer);
    }
  } finally {
    sheet.destroy();
  }
  return count;
}

/** Converts the rows. @throws UsageError at the first row that does not fit */
function* readFittingRows({ columns, rows }: ResultSet): Generator<readonly Value[]> {
  const convert = createRowConverter(columns);
  let count = 0;
  for (const row of rows) {
    assertFits(columns, row, (count += 1));
    yield convert(row);
  }
}

/** Returns the widths of columns by their first rows. */
function measureColumns(result: ResultSet): number[] {
  const widths = result.columns.map(({ name }) => measureCell(name));
  let count = 0;
  for (const row of convertRows(result)) {
    if ((count += 1) > MEASURED_ROWS) break;
    for (const [i, value] of row.entries()) widths[i] = Math.max(widths[i]!, measureCell(toText(value)));
  }
  return widths;
}

function* encodeChunks(pieces: Iterable<string>): Generator<Buffer> {
  for (const chunk of joinPieces(pieces)) yield Buffer.from(chunk);
}

/** Returns the width of a column that shows a text, in characters. */
const measureCell = (text: string): number =>
  Math.min(WIDEST, Math.max(NARROWEST, measureWidth(text.slice(0, WIDEST)) + 2));

function assertFits(columns: readonly ResultColumn[], row: readonly SqlValue[], count: number): void {
  if (count > MAX_ROWS) {
    throw new UsageError(`xlsx holds at most ${formatCount(MAX_ROWS)} rows, and the result has more`, {
      hint: OTHER_FORMATS,
    });
  }
  for (const [i, value] of row.entries()) {
    const length = Buffer.isBuffer(value) ? 2 * value.length + 3 : typeof value === 'string' ? value.length : 0;
    if (length <= MAX_CELL_LENGTH) continue;
    throw new UsageError(
      `a cell of xlsx holds at most ${formatCount(MAX_CELL_LENGTH)} characters, and "${columns[i]!.name}" of row ${count} has ${formatCount(length)}`,
      { hint: OTHER_FORMATS },
    );
  }
}

/** The styles of cells, as indexes of `cellXfs` in styles.xml. */
const STYLES = { text: 1, header: 2 } as const;

const MAX_INTEGER = 10n ** BigInt(MAX_DIGITS);

/**
 * Returns a cell of a worksheet; null is no cell. Numbers that a spreadsheet would round are text, such as an integer of
 * more than 15 digits. Text is never a formula, not even after an edit (`quotePrefix`).
 */
function formatCell(reference: string, value: Value): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return `<c r="${reference}" t="b"><v>${Number(value)}</v></c>`;
  if (isExactNumber(value)) return `<c r="${reference}"><v>${value}</v></c>`;
  return formatTextCell(reference, toText(value), STYLES.text);
}

function formatTextCell(reference: string, text: string, style: number): string {
  const space = /^\s|\s$|[\t\n\r]| {2}/.test(text) ? ' xml:space="preserve"' : '';
  return `<c r="${reference}" s="${style}" t="inlineStr"><is><t${space}>${escapeText(text)}</t></is></c>`;
}

const isExactNumber = (value: Value): value is number | bigint =>
  typeof value === 'number'
    ? Number.isFinite(value)
    : typeof value === 'bigint' && value < MAX_INTEGER && value > -MAX_INTEGER;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };

/** Characters that XML 1.0 cannot contain, and texts that look like the escapes of such characters. */
// oxlint-disable-next-line no-control-regex -- these are the characters to escape
const SPECIAL = /[&<>\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g;

/**
 * Escapes text as ST_Xstring of ECMA-376 (part 1, 22.9.2.19): a control character is `_xHHHH_`, which spreadsheets read as
 * the character. Lone surrogates are U+FFFD.
 */
const escapeText = (text: string): string => text.toWellFormed().replace(SPECIAL, escapeCharacter);

function escapeCharacter(character: string): string {
  const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  return ENTITIES[character] ?? `_x${code}_`;
}

export interface Worksheet {
  readonly columns: readonly ResultColumn[];
  /** The widths of the columns, in characters. */
  readonly widths: readonly number[];
  readonly rows: Iterable<readonly Value[]>;
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const SPREADSHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** The path of the worksheet in the workbook. */
const WORKSHEET_PATH = 'xl/worksheets/sheet1.xml';

/** The parts of a workbook with one worksheet, without the worksheet, by their paths. */
const PARTS: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${SPREADSHEET}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${SPREADSHEET}.styles+xml"/><Override PartName="/${WORKSHEET_PATH}" ContentType="${SPREADSHEET}.worksheet+xml"/></Types>`,
  '_rels/.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${DOCUMENT}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `${XML}<workbook ${MAIN} xmlns:r="${DOCUMENT}"><sheets><sheet name="data" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${DOCUMENT}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${DOCUMENT}/styles" Target="styles.xml"/></Relationships>`,
  // The formats of cells: general, text that stays text when it is edited, header.
  'xl/styles.xml': `${XML}<styleSheet ${MAIN}><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" quotePrefix="1" applyFont="1"/></cellXfs></styleSheet>`,
};

/** Formats a worksheet: a frozen header row and the rows. Texts of digits get no warning of a spreadsheet. */
function* formatWorksheet({ columns, widths, rows }: Worksheet): Generator<string> {
  const letters = columns.map((_, i) => toLetters(i));
  const cols = widths.map((width, i) => `<col min="${i + 1}" max="${i + 1}" width="${width}" customWidth="1"/>`);
  const header = columns.map(({ name }, i) => formatTextCell(`${letters[i]}1`, name, STYLES.header));
  yield `${XML}<worksheet ${MAIN}><sheetViews><sheetView tabSelected="1" workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${cols.join('')}</cols><sheetData><row r="1">${header.join('')}</row>`;
  let line = 1;
  for (const row of rows) {
    line += 1;
    let cells = '';
    for (let i = 0; i < row.length; i += 1) cells += formatCell(`${letters[i]}${line}`, row[i]!);
    yield `<row r="${line}">${cells}</row>`;
  }
  yield `</sheetData><ignoredErrors><ignoredError sqref="A1:${letters.at(-1)}${line}" numberStoredAsText="1"/></ignoredErrors></worksheet>`;
}

/** Returns the letters of a column by its index: A, …, Z, AA, … */
function toLetters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : toLetters(Math.floor(index / 26) - 1) + last;
}
