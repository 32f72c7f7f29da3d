import { pluralize } from '../../base/text.ts';
import { formatMoment } from '../../base/units.ts';
import { type CrawlSpec, parseCrawlOptions } from '../../service/kinds/crawl-spec.ts';
import type { CrawlOptions } from '../../service/kinds/kinds.ts';

type Given = { readonly [K in keyof CrawlOptions]-?: NonNullable<CrawlOptions[K]> };

/** Every option as text and as typed. */
const OPTIONS: {
  readonly [K in keyof Given]: readonly [
    describe: (value: Given[K]) => string,
    flag: string,
    typed: (value: Given[K]) => string,
  ];
} = {
  maxPages: [(n) => `at most ${pluralize(n, 'page')}`, '--max-pages', String],
  since: [(at) => `down to ${formatMoment(at)}`, '--since', formatMoment],
  from: [(at) => `from ${formatMoment(at)}`, '--since', formatMoment],
  to: [(at) => `up to ${formatMoment(at)}`, '--until', formatMoment],
  exact: [() => 'without the day before', '', () => ''],
  fullRefresh: [() => 'the whole list again', '--full-refresh', () => ''],
  recheck: [() => 'without a re-check of missing tweets', '--no-recheck', () => ''],
  isRecheck: [() => 'to check for deletion', '', () => ''],
  then: [(kinds) => `then ${kinds.join(' and ')} of each discovered account`, '--then', (kinds) => kinds.join()],
  depth: [(n) => pluralize(n, 'generation'), '--depth', String],
  maxTargets: [(n) => `at most ${pluralize(n, 'account')}`, '--max-targets', String],
  thenMaxPages: [(n) => `at most ${pluralize(n, 'page')} per child crawl`, '--then-max-pages', String],
};

const listOptions = (crawl: Pick<CrawlSpec, 'options'>): [keyof Given, never][] => {
  const options = parseCrawlOptions(crawl);
  return (Object.keys(OPTIONS) as (keyof Given)[])
    .filter((name) => options[name] !== undefined)
    .map((name) => [name, options[name] as never]);
};

/** `at most 2 pages, down to 2025-01-01`; empty without options. */
export const describeOptions = (crawl: Pick<CrawlSpec, 'options'>): string =>
  listOptions(crawl)
    .map(([name, value]) => OPTIONS[name][0](value))
    .join(', ');

/** The options as they are typed: `--max-pages 2`. */
export const listFlags = (crawl: Pick<CrawlSpec, 'options'>): string[] =>
  listOptions(crawl)
    .map(([name, value]) => `${OPTIONS[name][1]} ${OPTIONS[name][2](value)}`.trim())
    .filter((flag) => flag !== '');
