import { describe, expect, test } from 'vitest';
import { readCatalogue } from '#analysis/queries/catalogue.ts';
import { PERIODS } from '#analysis/queries/chart-spec.ts';
import { runSavedQuery } from '#analysis/queries/run-saved-query.ts';
import { openReadOnly } from '#store/sqlite/database.ts';
import { withCrawledStore } from '../queries/crawled-store.ts';
import { drawRows, findAll, listShapes, listTexts } from './parse-svg.ts';

/** Every saved query with a chart is drawn from its example on a store that was crawled. */

const store = withCrawledStore();
const charts = readCatalogue()
  .readAll()
  .queries.flatMap((query) => (query.chart ? [[query.name, query, query.chart] as const] : []));

describe('the chart of the query', () => {
  test.each(charts)('%s shows every value of its rows', async (_, query, chart) => {
    using db = openReadOnly(await store.file());
    const { columns, rows } = runSavedQuery(db, query, query.example);
    const period = PERIODS.find((name) => name === query.example['period']) ?? chart.period;
    const { picture } = await drawRows(columns, rows, { title: query.title, ...chart, period });
    expect(findAll(picture, 'title')[0]!.text).toBe(query.title);
    expect(listTexts(picture)).toContain(chart.yLabel);
    const values = rows.filter((row) => row[columns.indexOf(chart.value ?? chart.y)] !== null);
    const shapes = [...listShapes(picture, 'rect').keys(), ...listShapes(picture, 'path').keys()];
    // Long lines have no shapes of their own for values.
    expect(chart.mark === 'line' && values.length > 40 ? values.length : shapes.length).toBe(values.length);
  });
});
