import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { drawChart } from '../src/chart/draw-chart.ts';
import { CHART_EXAMPLES } from '../test/chart/examples.ts';

/** `npm run charts:gallery -- <folder>`: draws the examples at two widths, with a page that shows all, to look at after a change of charts; and the pictures of docs/charts.md. */

const folder = resolve(process.argv[2] ?? 'gallery');
mkdirSync(folder, { recursive: true });
const images: string[] = [];
for (const name of ['columns', 'lines', 'heatmap']) {
  const { columns, rows, spec } = CHART_EXAMPLES.find((example) => example.name === name)!;
  const svg = await drawChart({ columns, rows }, spec, { id: `example-${name}` });
  writeFileSync(resolve(import.meta.dirname, `../docs/charts/${name}.svg`), svg);
}
for (const { name, columns, rows, spec } of CHART_EXAMPLES) {
  for (const width of [860, 400]) {
    const file = `${name}-${width}.svg`;
    writeFileSync(join(folder, file), await drawChart({ columns, rows }, spec, { width }));
    images.push(`<img src="${file}" alt="${name}">`);
  }
}
writeFileSync(
  join(folder, 'index.html'),
  `<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Charts</title>\n${images.join('\n')}\n`,
);
