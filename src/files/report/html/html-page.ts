import { TrawlError } from '#base/errors.ts';
import { formatCount } from '#base/text.ts';
import { formatDay, formatMinute } from '#base/units.ts';
import { drawCoverageAxis } from '#files/chart/coverage-axis.ts';
import { drawChart } from '#files/chart/draw-chart.ts';
import {
  type PageContent,
  type Section,
  type AbsenceBlock,
  type AxisBlock,
  type Block,
  type ChartBlock,
  type Inline,
  type TableBlock,
  type Text,
  type Tile,
  toInlines,
  describeRows,
} from '#files/report/report.ts';
import { STYLE } from './html-style.ts';

/**
 * What the page may load: nothing. Styles are in the page; there are no scripts, images, fonts, frames, forms or other
 * addresses.
 */
const CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** Returns a page as one HTML document that needs nothing else. */
export async function renderPage(content: PageContent): Promise<string> {
  const { title, kind, heading, lines, sections, footer } = content;
  const rendered: Markup[] = [];
  for (const section of sections) rendered.push(await renderSection(section));
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${CONTENT_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="trawl">
<title>${toPlainText(title)}</title>
<style>${trustMarkup(STYLE)}</style>
</head>
<body>
<div class="page">
<header>
<p class="kind">${kind}</p>
<h1>${renderText(heading)}</h1>
${lines.map((line, i) => markup`<p${trustMarkup(i === 0 ? ' class="first"' : '')}>${renderText(line)}</p>\n`)}</header>
<nav aria-label="Contents"><ol>
${sections.map(({ id, title: label }) => markup`<li><a href="#${id}">${label}</a></li>\n`)}</ol></nav>
<main>
${rendered}</main>
<footer><p>${renderText(footer)} All times are UTC.</p></footer>
</div>
</body>
</html>
`.html;
}

async function renderSection({ id, title, blocks }: Section): Promise<Markup> {
  const rendered: Markup[] = [];
  for (const [i, block] of blocks.entries()) rendered.push(await renderBlock(block, `${id}-${i + 1}`));
  return markup`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${rendered}</section>
`;
}

/** The widths of drawings in pixels, for windows and paper, and for telephones. */
const WIDE = 800;
const NARROW = 350;

/** Returns a block as HTML. @param id of the block, unique in its page */
async function renderBlock(block: Block, id: string): Promise<Markup> {
  switch (block.type) {
    case 'paragraph':
      return markup`<p>${renderText(block.text)}</p>\n`;
    case 'heading':
      return markup`<h3>${block.text}</h3>\n`;
    case 'facts':
      return markup`<dl class="facts">
${block.facts.map(([label, value]) => markup`<dt>${label}</dt><dd>${renderText(value)}</dd>\n`)}</dl>
`;
    case 'list':
      return markup`<ul class="items">
${block.items.map((item) => markup`<li>${renderText(item)}</li>\n`)}</ul>
`;
    case 'tiles':
      return markup`<dl class="tiles">
${block.tiles.map(renderTile)}</dl>
`;
    case 'posts':
      return markup`<ol class="posts" aria-label="${block.label}">
${block.posts.map(({ text, meta }) => markup`<li><p class="text" dir="auto">${text}</p><p class="meta">${renderText(meta)}</p></li>\n`)}</ol>
`;
    case 'quotation':
      return markup`<blockquote><p>${renderText(block.text)}</p></blockquote>\n`;
    case 'code':
      return markup`<h3>${block.label}</h3>\n<pre>${block.text}</pre>\n`;
    case 'absence':
      return renderAbsence(block);
    case 'table':
      return renderTable(block, id);
    case 'chart':
      return await renderChart(block, id);
    case 'axis':
      return renderAxis(block, id);
  }
}

/** Returns a line of content as HTML. */
const renderText = (text: Text): Markup => markup`${toInlines(text).map(renderInline)}`;

function renderInline(part: Inline): Markup {
  if (typeof part === 'string') return markup`${part}`;
  if ('name' in part) return markup`<bdi>${part.name}</bdi>`;
  if ('code' in part) return markup`<code>${part.code}</code>`;
  if ('time' in part) return markup`<time datetime="${part.time}">${formatMinute(part.time)}</time>`;
  if ('day' in part) return markup`<time datetime="${formatDay(part.day)}">${formatDay(part.day)}</time>`;
  if ('count' in part) return markup`${formatCount(part.count)}`;
  return markup`<strong>${part.strong}</strong>`;
}

/** Direction marks, which nothing ends in a text without markup. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Returns a text for places without markup, such as the title of the document. */
const toPlainText = (text: string): string => toSafeText(text.replaceAll(DIRECTIONS, '')).replaceAll('\n', ' ');

/** The words that begin the statement of an absence, and its class. */
const ABSENCES: Readonly<Record<AbsenceBlock['absence'], readonly [words: string, name: string]>> = {
  'no results': ['No results.', 'no-results'],
  'not collected': ['Not collected.', 'not-collected'],
  'collected in part': ['Collected in part.', 'not-collected'],
  'not available': ['Not available.', 'not-available'],
  pruned: ['Pruned.', 'not-available'],
  'not checked': ['Not checked.', 'not-available'],
};

function renderAbsence({ absence, text, command }: AbsenceBlock): Markup {
  const [words, name] = ABSENCES[absence];
  const how =
    command === undefined
      ? undefined
      : markup` ${absence === 'not checked' ? 'Check them' : 'Collect it'} with <code>${command}</code>.`;
  return markup`<p class="absence ${name}"><strong>${words}</strong>${renderText(text)}${how}</p>\n`;
}

function renderTile({ label, value, detail, share }: Tile): Markup {
  const width = share === undefined ? undefined : (100 * Math.min(1, Math.max(0, share))).toFixed(1);
  const bar = width && markup`<span class="bar" aria-hidden="true"><span style="width:${width}%"></span></span>`;
  return markup`<div class="tile"><dt>${label}</dt><dd><span class="value">${value}</span>${bar || undefined}<span class="detail">${renderText(detail)}</span></dd></div>\n`;
}

function renderTable({ caption, columns, rows, note }: TableBlock, id: string): Markup {
  const attributes = columns.map(({ isNumber }) => trustMarkup(isNumber ? ' class="number"' : ''));
  const cells = (row: readonly Text[]): Markup[] =>
    row.map((cell, i) =>
      i === 0
        ? markup`<th scope="row"${attributes[i]}>${renderText(cell)}</th>`
        : markup`<td${attributes[i]}>${renderText(cell)}</td>`,
    );
  return markup`<div class="scroll" role="region" aria-labelledby="${id}" tabindex="0"><table>
<caption id="${id}">${caption}</caption>
<thead><tr>${columns.map(({ label }, i) => markup`<th scope="col"${attributes[i]}>${label}</th>`)}</tr></thead>
<tbody>
${rows.map((row) => markup`<tr>${cells(row)}</tr>\n`)}</tbody>
</table></div>
${note === undefined ? undefined : markup`<p class="note">${renderText(note)}</p>\n`}`;
}

/** A chart in two widths, of which one is shown, and the figures that it draws; a table of them if it cannot be drawn. */
async function renderChart({ title, caption, data, spec }: ChartBlock, id: string): Promise<Markup> {
  const heading = markup`<figcaption><strong>${title}</strong>${renderText(caption)}</figcaption>\n`;
  const figures = describeRows(data, `${title}: the figures`, {
    nulls: { [spec.value ?? spec.y]: 'not observed' },
  });
  try {
    const wide = await drawChart(data, spec, { width: WIDE, theme: 'page', id: `${id}-wide` });
    const narrow = await drawChart(data, spec, { width: NARROW, theme: 'page', id: `${id}-narrow` });
    return markup`<figure>
${heading}<div class="wide">${trustMarkup(wide)}</div>
<div class="narrow">${trustMarkup(narrow)}</div>
<details><summary>Show the figures</summary>
${renderTable(figures, id)}</details>
</figure>
`;
  } catch (error) {
    if (!(error instanceof TrawlError)) throw error;
    return markup`<figure>
${heading}<p class="note">No chart: ${error.message}.</p>
${renderTable(figures, id)}</figure>
`;
  }
}

function renderAxis({ caption, list }: AxisBlock, id: string): Markup {
  return markup`<figure>
<figcaption>${renderText(caption)}</figcaption>
<div class="wide">${trustMarkup(drawCoverageAxis(list, { width: WIDE, theme: 'page', id: `${id}-wide` }))}</div>
<div class="narrow">${trustMarkup(drawCoverageAxis(list, { width: NARROW, theme: 'page', id: `${id}-narrow` }))}</div>
</figure>
`;
}

/** HTML that may be inserted as it is: markup of our own, with escaped values. */
class Markup {
  readonly html: string;

  constructor(html: string) {
    this.html = html;
  }
}

export type MarkupValue = Markup | string | number | undefined | readonly MarkupValue[];

/** Control characters but line feed and tab, lone surrogates, and the two characters that reverse the text after them. */
const UNSAFE = /(?![\n\t])\p{Cc}|[\p{Cs}\u202d\u202e\ufeff\ufff9-\ufffb]/gu;
/** More marks on one letter than any language has. They would cover the lines above and below. */
const STACKED_MARKS = /(\p{M}{6})\p{M}+/gu;

/** Returns a text that can be shown: what would be invisible or would reverse its surroundings is replaced by U+FFFD. */
export const toSafeText = (text: string): string =>
  text
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll(UNSAFE, '\ufffd')
    .replaceAll(STACKED_MARKS, '$1');

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for an element or for an attribute in quotes. */
export const escapeHtml = (text: string): string => toSafeText(text).replaceAll(/[&<>"']/g, (each) => ENTITIES[each]!);

/** The tag of a template of HTML: its values are escaped, unless they are markup; undefined is nothing, lists are joined. */
export const markup = (parts: TemplateStringsArray, ...values: readonly MarkupValue[]): Markup =>
  new Markup(parts.map((part, i) => part + (i < values.length ? toHtml(values[i]) : '')).join(''));

/** Inserts HTML or SVG that our own code has made, and that escapes what it shows. */
export const trustMarkup = (html: string): Markup => new Markup(html);

function toHtml(value: MarkupValue): string {
  if (value === undefined) return '';
  if (value instanceof Markup) return value.html;
  return typeof value === 'object' ? value.map(toHtml).join('') : escapeHtml(String(value));
}
