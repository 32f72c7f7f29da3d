import type { PageContent, Section } from '../report-content.ts';
import { renderBlock, renderText, toPlainText } from './blocks.ts';
import { STYLE } from './html-style.ts';
import { type Markup, markup, trustMarkup } from './markup.ts';

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
