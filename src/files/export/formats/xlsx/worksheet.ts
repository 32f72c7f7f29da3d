import type { ResultColumn } from '../../result-set.ts';
import type { Value } from '../format-values.ts';
import { formatCell, formatTextCell, STYLES } from './cells.ts';

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
export const WORKSHEET_PATH = 'xl/worksheets/sheet1.xml';

/** The parts of a workbook with one worksheet, without the worksheet, by their paths. */
export const PARTS: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${SPREADSHEET}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${SPREADSHEET}.styles+xml"/><Override PartName="/${WORKSHEET_PATH}" ContentType="${SPREADSHEET}.worksheet+xml"/></Types>`,
  '_rels/.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${DOCUMENT}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `${XML}<workbook ${MAIN} xmlns:r="${DOCUMENT}"><sheets><sheet name="data" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${DOCUMENT}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${DOCUMENT}/styles" Target="styles.xml"/></Relationships>`,
  // The formats of cells: general, text that stays text when it is edited, header.
  'xl/styles.xml': `${XML}<styleSheet ${MAIN}><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" quotePrefix="1" applyFont="1"/></cellXfs></styleSheet>`,
};

/** Formats a worksheet: a frozen header row and the rows. Texts of digits get no warning of a spreadsheet. */
export function* formatWorksheet({ columns, widths, rows }: Worksheet): Generator<string> {
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
