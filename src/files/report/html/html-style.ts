import { formatThemeStyles } from '#files/chart/chart-theme.ts';

/** The colours of the page beside those of its charts. Text has a contrast of at least 4.5 to its background in both themes. */
const LIGHT = '--panel: #f4f6f8; --line: #d9dee3; --warn: #8a4b00; --bad: #b02015;';
const DARK = '--panel: #1f242a; --line: #363e46; --warn: #f0b866; --bad: #ff8f80;';

/** The style of the page: two themes, three widths and paper, with the fonts of the reader's system. */
export const STYLE = `
${formatThemeStyles()}
:root {
  color-scheme: light dark; ${LIGHT}
  --paper: var(--chart-background); --ink: var(--chart-ink); --muted: var(--chart-muted); --accent: var(--chart-series-1);
}
@media screen and (prefers-color-scheme: dark) { :root { ${DARK} } }
@media print { :root { color-scheme: light; } }

*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
body {
  margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: anywhere;
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  font-variant-numeric: tabular-nums;
}
.page { max-width: 52rem; margin: 0 auto; padding: 2.5rem 1.5rem 3rem; }
p, ul, ol, dl, figure, blockquote, pre { margin: 0 0 1rem; }
bdi { unicode-bidi: isolate; }
code, pre { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Noto Sans Mono", monospace; font-size: 0.86em; }
code { background: var(--panel); border-radius: 0.25em; padding: 0.12em 0.25em; }
time { white-space: nowrap; }
a { color: var(--accent); text-underline-offset: 0.18em; text-decoration-thickness: 1px; }
a:focus-visible, summary:focus-visible, .scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }

header { border-bottom: 1px solid var(--line); padding-bottom: 1.25rem; margin-bottom: 1.5rem; }
.kind { margin: 0 0 0.4rem; color: var(--accent); font-size: 0.82rem; font-weight: 650; letter-spacing: 0.06em; text-transform: uppercase; }
h1 { margin: 0 0 0.5rem; font-size: clamp(1.7rem, 1.3rem + 2vw, 2.4rem); line-height: 1.15; letter-spacing: -0.02em; text-wrap: balance; }
header p:not(.kind) { margin: 0 0 0.35rem; color: var(--muted); max-width: 44rem; }
header p.first { color: var(--ink); font-size: 1.05rem; }
h2 { margin: 3rem 0 0.9rem; font-size: 1.4rem; line-height: 1.25; letter-spacing: -0.012em; }
h3 { margin: 2rem 0 0.5rem; font-size: 1.05rem; line-height: 1.35; }
section:first-of-type h2 { margin-top: 0; }

nav ol { list-style: none; margin: 0 0 2.25rem; padding: 0; display: flex; flex-wrap: wrap; gap: 0.25rem 1.1rem; font-size: 0.92rem; }
nav a { color: var(--muted); text-decoration: none; }
nav a:hover { color: var(--accent); text-decoration: underline; }

.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(10.5rem, 1fr)); gap: 0.75rem; margin: 0 0 1.5rem; }
.tile { background: var(--panel); border-radius: 0.6rem; padding: 0.85rem 1rem 0.9rem; }
.tile dt { color: var(--muted); font-size: 0.85rem; }
.tile dd { margin: 0; }
.tile span { display: block; }
.tile .value { font-size: 1.65rem; font-weight: 600; line-height: 1.3; letter-spacing: -0.015em; }
.tile .detail { color: var(--muted); font-size: 0.85rem; line-height: 1.4; }
.bar { display: block; height: 0.3rem; margin: 0.35rem 0 0.45rem; border-radius: 0.15rem; background: var(--line); overflow: hidden; }
.bar span { display: block; height: 100%; background: var(--accent); }

.facts { display: grid; grid-template-columns: minmax(8rem, 12rem) 1fr; gap: 0.35rem 1.25rem; }
.facts dt { color: var(--muted); }
.facts dd { margin: 0; }

.scroll { overflow-x: auto; margin: 0 0 1.25rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.92rem; line-height: 1.45; }
caption { caption-side: top; text-align: start; color: var(--muted); padding: 0 0 0.4rem; font-size: 0.88rem; }
th, td { text-align: start; vertical-align: top; padding: 0.42rem 0.95rem 0.42rem 0; border-bottom: 1px solid var(--line); max-width: 20rem; overflow-wrap: break-word; }
th:last-child, td:last-child { padding-inline-end: 0; }
thead th { font-weight: 600; color: var(--muted); font-size: 0.86rem; white-space: nowrap; }
tbody th { font-weight: 500; min-width: 6rem; }
.number { text-align: end; white-space: nowrap; }
.note { color: var(--muted); font-size: 0.88rem; margin-top: -0.6rem; }

figure { margin: 0 0 1.75rem; }
figcaption { color: var(--muted); font-size: 0.9rem; margin: 0 0 0.6rem; max-width: 46rem; }
figcaption strong { display: block; color: var(--ink); font-size: 1.05rem; font-weight: 650; margin-bottom: 0.1rem; }
figure svg { display: block; width: calc(100% + 1.8rem); max-width: none; height: auto; margin-inline: -0.9rem; }
.narrow { display: none; }
details { margin-top: 0.5rem; font-size: 0.9rem; }
summary { color: var(--muted); cursor: pointer; width: max-content; max-width: 100%; }
details .scroll { margin-top: 0.6rem; max-height: 26rem; overflow: auto; }

.absence { border-inline-start: 0.25rem solid var(--muted); background: var(--panel); border-radius: 0 0.4rem 0.4rem 0; padding: 0.65rem 0.9rem; }
.absence strong { margin-inline-end: 0.3em; }
.not-collected { border-color: var(--warn); }
.not-collected strong { color: var(--warn); }
.not-available { border-color: var(--bad); }
.not-available strong { color: var(--bad); }

.posts { padding: 0; list-style: none; counter-reset: post; }
.posts li { counter-increment: post; display: grid; grid-template-columns: 1.9rem 1fr; padding: 0.7rem 0; border-top: 1px solid var(--line); }
.posts li::before { content: counter(post); color: var(--muted); }
.posts p { margin: 0; grid-column: 2; }
.posts .text { white-space: pre-line; }
.posts .meta { color: var(--muted); font-size: 0.88rem; margin-top: 0.2rem; }
ul.items { padding-inline-start: 1.2rem; }
ul.items li { margin-bottom: 0.3rem; }

blockquote p { margin: 0; }
blockquote { padding: 0.9rem 1.1rem; background: var(--panel); border-inline-start: 0.25rem solid var(--accent); border-radius: 0 0.4rem 0.4rem 0; }
pre { background: var(--panel); border-radius: 0.4rem; padding: 0.8rem 1rem; white-space: pre-wrap; line-height: 1.5; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--muted); font-size: 0.85rem; }

@media (max-width: 36rem) {
  .page { padding: 1.5rem 1.1rem 2rem; }
  .wide { display: none; }
  .narrow { display: block; }
  .facts { grid-template-columns: 1fr; gap: 0; }
  .facts dd { margin-bottom: 0.7rem; }
  .tiles { grid-template-columns: 1fr 1fr; gap: 0.6rem; }
  .tile { padding: 0.7rem 0.8rem; }
  .tile .value { font-size: 1.4rem; }
}
@media screen and (min-width: 76rem) {
  .page { max-width: 71rem; display: grid; grid-template-columns: 13rem minmax(0, 52rem); column-gap: 3.5rem; }
  header, footer { grid-column: 1 / -1; }
  nav { position: sticky; top: 1.5rem; align-self: start; }
  nav ol { flex-direction: column; gap: 0.45rem; margin: 0.3rem 0 0; }
  main { min-width: 0; }
}
@page { size: A4; margin: 17mm 16mm 18mm; @bottom-right { content: counter(page) " / " counter(pages); font: 8.5pt system-ui, sans-serif; color: #565b61; } }
@media print {
  html { font-size: 9.5pt; }
  body { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .page { max-width: none; padding: 0; }
  nav, details { display: none; }
  a { color: inherit; text-decoration: none; }
  h2 { margin-top: 1.8rem; }
  h2, h3, caption, thead, figcaption { break-after: avoid; }
  figure, tr, .posts li, .tile, .absence, blockquote, pre { break-inside: avoid; }
  .scroll { overflow: visible; }
  figure svg { width: 100%; margin-inline: 0; }
  th, td { padding-inline-end: 0.8rem; }
  p, li { orphans: 3; widows: 3; }
}
`;
