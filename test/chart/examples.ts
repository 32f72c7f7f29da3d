import type { ChartSpec } from '#analysis/queries/chart-spec.ts';
import { DAY } from '#base/clock.ts';

/** A chart that tests open in a browser; some are pictures of the documentation. */
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
    name: 'bars',
    columns: ['name', 'followers'],
    rows: [...NAMES, ...HOSTILE].map((name, i) => [name, i === 3 ? null : Math.round(100_000 / (i + 1))]),
    spec: { mark: 'bars', x: 'name', y: 'followers', title: 'Which accounts have the most followers?' },
  },
  {
    name: 'categories',
    columns: ['hashtag', 'tweets'],
    rows: [...NAMES, 'rain', 'storm', 'umbrella'].map((tag, i) => [tag, 100 - i * 7]),
    spec: { mark: 'columns', x: 'hashtag', y: 'tweets', title: 'Names below columns' },
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
];
