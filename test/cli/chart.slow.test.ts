import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findAll, listShapes, listTexts, parseSvg } from '../chart/parse-svg.ts';
import { failure, runCli, runSuccessfully } from '../support/cli.ts';
import { createStoreFile } from '../support/store-file.ts';
import { tempDir, tempFile } from '../support/temp.ts';

const GROWTH = `with t(at, followers, account) as (values
  ('2025-01-01', 100, 'nasa'), ('2025-02-01', 150, 'nasa'), ('2025-01-01', 80, 'esa'), ('2025-02-01', null, 'esa'))
  select * from t`;

describe('a chart', () => {
  test('is a file with a sidecar like others', async () => {
    const db = createStoreFile();
    const file = join(tempDir(), 'growth.svg');
    const options = ['--x', 'at', '--y', 'followers', '--series', 'account', '--title', 'Growth'];
    const { stdout } = await runSuccessfully(['sql', GROWTH, '--db', db, '-o', file, ...options]);
    expect(stdout).toContain(`${file}: 4 rows`);
    const svg = readFileSync(file, 'utf8');
    expect(listTexts(parseSvg(svg))).toEqual(
      expect.arrayContaining(['Growth', 'followers', 'time (UTC)', 'nasa', 'esa']),
    );
    const sidecar = JSON.parse(readFileSync(`${file}.meta.json`, 'utf8')) as Record<string, unknown>;
    expect(sidecar).toMatchObject({
      name: 'growth.svg',
      mediaType: 'image/svg+xml',
      rows: 4,
      sql: GROWTH,
      sha256: createHash('sha256').update(svg).digest('hex'),
      chart: {
        x: 'at',
        y: ['followers'],
        series: 'account',
        title: 'Growth',
      },
      completeness: { lists: [] },
    });
  });

  test('of a saved query has its form and title', async () => {
    const cwd = tempDir();
    mkdirSync(join(cwd, 'queries'));
    writeFileSync(
      join(cwd, 'queries/days.sql'),
      `/*
title: How many tweets are there per day?
topic: Tweets
description: A row is a day.
parameters:
  word: { type: text, description: a word }
  language: { type: text, default: null, description: a language }
  period: { type: choice, values: [day, week], default: day, description: the length of a period }
chart: { mark: columns, x: start, y: tweets, partial: is_partial, period: day, yLabel: tweets }
example: { word: rain }
*/
with t(start, tweets, is_partial) as (values ('2025-01-06', 3, 1), ('2025-01-13', 5, 0))
select * from t where :word > '' and :language is null and :period > ''
`,
    );
    const file = join(cwd, 'days.svg');
    await runSuccessfully(['query run days --word rain --period week --db', createStoreFile(), '-o', file], { cwd });
    const picture = parseSvg(readFileSync(file, 'utf8'));
    expect(findAll(picture, 'title')[0]!.text).toBe('How many tweets are there per day?');
    expect([...listShapes(picture, 'rect').keys()]).toEqual(['2025-01-06: 3 (in part)', '2025-01-13: 5']);
    expect(listTexts(picture)).toEqual(expect.arrayContaining(['tweets', 'week (UTC)', 'word rain, per week']));
  });

  test('that cannot be drawn leaves no file', async () => {
    const db = createStoreFile();
    const file = join(tempDir(), 'chart.svg');
    const draw = (sql: string, ...args: string[]) => runCli(['sql', sql, '--db', db, '-o', file, ...args]);
    const wrong = await draw(GROWTH, '--y', 'follower', '--series', 'account');
    expect(wrong).toEqual(failure(2, 'there is no column follower'));
    expect(wrong.stderr).toContain('Did you mean followers? Columns: at, followers, account.');
    expect(await draw(GROWTH, '--y', 'account')).toEqual(
      failure(2, 'account has to be a number: in row 1, it is the text "nasa"'),
    );
    expect(await draw(`${GROWTH} where false`)).toEqual(failure(1, 'there is nothing to draw: there are no rows'));
    expect(await draw(GROWTH)).toEqual(failure(2, 'two rows have the same place'));
    expect(existsSync(file) || existsSync(`${file}.meta.json`)).toBe(false);
  });
});

test('a chart is printed without a file', async () => {
  const { stdout } = await runSuccessfully([
    'sql',
    GROWTH,
    '--db',
    createStoreFile(),
    '-f',
    'svg',
    '--series',
    'account',
  ]);
  expect(parseSvg(stdout).name).toBe('svg');
});

test('options of charts are refused for other formats', async () => {
  const sql = ['sql', GROWTH, '--db', createStoreFile()];
  expect(await runCli([...sql, '--x', 'at'])).toEqual(failure(2, '--x belongs to a chart'));
  expect(await runCli([...sql, '--mark', 'points', '-o', tempFile('a.csv')])).toEqual(
    failure(2, '--mark belongs to a chart'),
  );
  expect(await runCli([...sql, '--mark', 'pie', '-f', 'svg'])).toEqual(failure(2, 'Allowed choices are line, columns'));
});

test('a table is no chart', async () => {
  const result = await runCli(['export users --db', createStoreFile(), '-o', tempFile('users.svg')]);
  expect(result).toEqual(failure(2, 'a table is not drawn'));
});
