import type { ChartSpec } from '../../src/chart/chart-spec.ts';
import { DAY } from '../../src/clock.ts';

/** A chart for the gallery (`scripts/chart-gallery.ts`), which tests also open in a browser. */
export interface ChartExample {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number | null)[])[];
  readonly spec: ChartSpec;
}

const NAMES = [
  'HarbourNews',
  'ميناء الأخبار',
  '港のニュース速報と天気予報',
  'ข่าวท่าเรือ',
  'חדשות הנמל',
  '👩‍👩‍👧‍👦 family',
  'Zα̈ℓgo',
  'a very long display name that does not end for a while',
];
const HOSTILE = ['<script>alert(1)</script> & "co"', 'bad\u0000\u001b[31m\u202e reversed'];

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const dayAfter = (start: string, days: number): string =>
  new Date(Date.parse(start) + days * DAY).toISOString().slice(0, 10);
/** A number that repeats with `length`, from `low` to `high`. */
const wave = (i: number, length: number, low: number, high: number): number =>
  Math.round(low + ((high - low) * (1 + Math.sin((2 * Math.PI * i) / length))) / 2);
const isEnd = (i: number, count: number): number => Number(i === 0 || i === count - 1);

export const CHART_EXAMPLES: readonly ChartExample[] = [
  {
    name: 'columns',
    columns: ['week', 'tweets', 'is_partial'],
    rows: range(40).map((i) => {
      const tweets = i === 12 ? null : i === 20 ? 0 : wave(i, 26, 10, 50);
      return [dayAfter('2025-01-06', 7 * i), tweets, tweets === null ? 1 : isEnd(i, 40)];
    }),
    spec: {
      mark: 'columns',
      x: 'week',
      y: 'tweets',
      partial: 'is_partial',
      yLabel: 'tweets per week',
      title: 'How much does an account write?',
      subtitle: 'HarbourNews, per week',
    },
  },
  {
    name: 'stacked-columns',
    columns: ['month', 'kind', 'tweets'],
    rows: range(10).flatMap((i) =>
      ['original', 'reply', 'repost', 'quote'].map((kind, j) => [
        `2025-${String(i + 1).padStart(2, '0')}`,
        kind,
        wave(i + 2 * j, 7, 5, 150 - 35 * j),
      ]),
    ),
    spec: {
      mark: 'columns',
      x: 'month',
      y: 'tweets',
      series: 'kind',
      title: 'Tweets by kind',
      yLabel: 'tweets per month',
    },
  },
  {
    name: 'gained-and-lost',
    columns: ['week', 'change', 'accounts', 'is_partial'],
    rows: range(20).flatMap((i) => [
      [dayAfter('2025-01-06', 7 * i), 'gained', i === 8 ? null : wave(i, 7, 2, 40), i === 8 ? 1 : isEnd(i, 20)],
      [dayAfter('2025-01-06', 7 * i), 'lost', i === 8 ? null : -wave(i, 5, 1, 24), i === 8 ? 1 : isEnd(i, 20)],
    ]),
    spec: {
      mark: 'columns',
      x: 'week',
      y: 'accounts',
      series: 'change',
      partial: 'is_partial',
      period: 'week',
      title: 'Followers gained and lost',
      yLabel: 'accounts per week',
    },
  },
  {
    name: 'lines',
    columns: ['at', 'account', 'followers'],
    rows: NAMES.slice(0, 4).flatMap((account, j) =>
      range(30).map((i) => [
        `${dayAfter('2025-01-01', 5 * i)}T08:30:00.000Z`,
        account,
        j === 1 && i > 10 && i < 15 ? null : 1000 + 300 * j + i * (20 - 8 * j) + wave(i, 4 + j, 0, 30),
      ]),
    ),
    spec: { mark: 'line', x: 'at', y: 'followers', series: 'account', title: 'Followers over time' },
  },
  {
    name: 'eight-lines',
    columns: ['at', 'account', 'followers'],
    rows: NAMES.flatMap((account, j) =>
      range(60).map((i) => [`${dayAfter('2025-01-01', i)}T00:00:00Z`, account, wave(i + 9 * j, 56, 50, 150) + 12 * j]),
    ),
    spec: {
      mark: 'line',
      x: 'at',
      y: 'followers',
      series: 'account',
      yLabel: 'followers',
      title: `Names of all scripts: ${NAMES.join(', ')}, in a title that is so long that it needs several lines, and is cut`,
    },
  },
  {
    name: 'gaps',
    columns: ['day', 'followers', 'is_partial'],
    rows: range(30).map((i) => {
      const isGap = (i > 8 && i < 12) || i === 13;
      const value = isGap || i === 20 ? null : 5210 + 3 * i;
      return [dayAfter('2025-02-20', i), value, isGap ? 1 : isEnd(i, 30)];
    }),
    spec: {
      mark: 'line',
      x: 'day',
      y: 'followers',
      period: 'day',
      partial: 'is_partial',
      title: 'Days that were not observed, and one without a value',
    },
  },
  {
    name: 'flat',
    columns: ['at', 'followers'],
    rows: range(20).map((i) => [dayAfter('2025-01-01', i), 1200]),
    spec: { mark: 'line', x: 'at', y: 'followers', title: 'A flat series' },
  },
  {
    name: 'one-point',
    columns: ['at', 'followers'],
    rows: [['2025-03-04T15:04:05.000Z', 1200]],
    spec: { mark: 'line', x: 'at', y: 'followers', title: 'A single observation' },
  },
  {
    name: 'one-column',
    columns: ['month', 'tweets'],
    rows: [['2025-03', 12]],
    spec: { mark: 'columns', x: 'month', y: 'tweets', title: 'A single month' },
  },
  {
    name: 'area',
    columns: ['day', 'tweets', 'is_partial'],
    rows: range(90).map((i) => {
      const isGap = i > 40 && i < 47;
      return [dayAfter('2024-11-20', i), isGap ? null : wave(i, 44, 5, 40), isGap ? 1 : isEnd(i, 90)];
    }),
    spec: {
      mark: 'area',
      x: 'day',
      y: 'tweets',
      period: 'day',
      partial: 'is_partial',
      yLabel: 'tweets per day',
      title: 'An area over the turn of a year',
    },
  },
  {
    name: 'stacked-area',
    columns: ['month', 'language', 'tweets'],
    rows: range(24).flatMap((i) =>
      ['en', 'ar', 'ja', 'th', 'de'].map((language, j) => [
        `${2023 + Math.floor(i / 12)}-${String((i % 12) + 1).padStart(2, '0')}`,
        language,
        i === 9 && j === 2 ? null : wave(i + 5 * j, 31, 20, 80),
      ]),
    ),
    spec: { mark: 'area', x: 'month', y: 'tweets', series: 'language', period: 'month', title: 'Tweets by language' },
  },
  {
    name: 'bars',
    columns: ['name', 'followers'],
    rows: [...NAMES, ...HOSTILE].map((name, i) => [name, i === 3 ? null : Math.round(100_000 / (i + 1))]),
    spec: { mark: 'bars', x: 'name', y: 'followers', title: 'Which accounts have the most followers?' },
  },
  {
    name: 'stacked-bars',
    columns: ['name', 'kind', 'number', 'is_partial'],
    rows: NAMES.slice(0, 5).flatMap((name, i) =>
      ['likes', 'reposts', 'replies'].map((kind, j) => [
        name,
        kind,
        Math.round(900 / (i + 1) / (j + 1)),
        Number(i === 1),
      ]),
    ),
    spec: {
      mark: 'bars',
      x: 'name',
      y: 'number',
      series: 'kind',
      partial: 'is_partial',
      title: 'Engagement by account',
    },
  },
  {
    name: 'hours',
    columns: ['hour', 'tweets'],
    rows: range(24)
      .filter((hour) => hour !== 3)
      .map((hour) => [hour, wave(hour, 25, 1, 19)]),
    spec: { mark: 'columns', x: 'hour', y: 'tweets', title: 'Tweets by hour', xLabel: 'hour of the day (UTC)' },
  },
  {
    name: 'categories',
    columns: ['hashtag', 'tweets'],
    rows: [...NAMES, 'rain', 'storm', 'umbrella'].map((tag, i) => [tag, 100 - i * 7]),
    spec: { mark: 'columns', x: 'hashtag', y: 'tweets', title: 'Names below columns' },
  },
  {
    name: 'points',
    columns: ['followers', 'engagement', 'language'],
    rows: range(200).map((i) => [Math.round(1.047 ** i), wave(i * i, 37, 0, 300), ['en', 'ar', 'ja'][i % 3]!]),
    spec: { mark: 'points', x: 'followers', y: 'engagement', series: 'language', title: 'Engagement for size' },
  },
  {
    name: 'heatmap',
    columns: ['hour', 'weekday', 'tweets', 'is_partial'],
    rows: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].flatMap((weekday, i) =>
      range(24).map((hour) => {
        const isGap = i === 2 && hour > 20;
        return [hour, weekday, isGap ? null : wave(hour + 6 * i, 25, 0, 40), Number(isGap || (i === 6 && hour > 20))];
      }),
    ),
    spec: {
      mark: 'heatmap',
      x: 'hour',
      y: 'weekday',
      value: 'tweets',
      partial: 'is_partial',
      title: 'At which hours does an account write?',
      xLabel: 'hour of the day (UTC)',
      yLabel: 'day of the week',
    },
  },
  {
    name: 'weeks',
    columns: ['week', 'hashtag', 'tweets'],
    rows: range(52).flatMap((i) =>
      ['rain', 'عاصفة', '天気', 'umbrella'].map((tag, j) => [
        dayAfter('2025-01-06', 7 * i),
        tag,
        wave(i + 9 * j, 50, 0, 100),
      ]),
    ),
    spec: { mark: 'heatmap', x: 'week', y: 'hashtag', value: 'tweets', title: 'Hashtags per week' },
  },
];
