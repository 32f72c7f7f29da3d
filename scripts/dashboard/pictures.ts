import type { ObservedWorld } from '../../test/report/observed-world.ts';

/** What pages can show: the accounts of the store, and a crawl that is running. */
export interface Shown {
  readonly accounts: ObservedWorld['accounts'];
  readonly crawl: number;
}

/** A picture of a page. */
export interface Picture {
  /** The name of its file: `dashboard-<name>.png`. */
  readonly name: string;
  readonly path: string | ((shown: Shown) => string);
  /** Selectors of what is on the screen when the page is complete. */
  readonly ready: string;
  /** What is at the top of the picture in the documentation; by default the top of the page. */
  readonly from?: string;
  /** The height in the documentation, in pixels. */
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
}

/** The pictures of all pages. A new page gets a line here, and its picture is shown in docs/operating/dashboard.md. */
export const PICTURES: readonly Picture[] = [
  { name: 'overview', path: '/', ready: '.plot canvas', height: 1180 },
  { name: 'crawls', path: '/crawls', ready: '.crawl-list-row a', height: 900 },
  { name: 'crawl', path: ({ crawl }) => `/crawls/${crawl}`, ready: '.plot canvas', height: 900, theme: 'dark' },
  { name: 'new-crawl', path: '/crawls/new', ready: 'form', height: 720 },
  { name: 'accounts', path: '/accounts', ready: '.account-table a', height: 720 },
  { name: 'account', path: ({ accounts }) => `/accounts/${accounts.gaps}`, ready: '.coverage-axis img', height: 1180 },
  {
    ...{ name: 'account-history', path: ({ accounts }) => `/accounts/${accounts.complete}`, ready: '.top-tweets li' },
    ...{ from: '.account-page .plot', height: 1180, theme: 'dark' },
  },
  {
    ...{ name: 'network', path: ({ accounts }) => `/network?accounts=${accounts.complete}` },
    ...{ ready: '.network-downloads button:not([disabled])', height: 1000 },
  },
  { name: 'find', path: '/find?q=umbrella', ready: '.found', height: 900 },
  { name: 'query-list', path: '/queries', ready: '.query-list', height: 900 },
  {
    ...{ name: 'query', ready: '.result-chart', height: 1180, theme: 'dark' },
    path: '/queries/tweets-per-period?account=HarbourNews&period=month&view-as=chart&run-now=1',
  },
  { name: 'schedules', path: '/schedules', ready: '.job-table', height: 600 },
  { name: 'job', path: '/schedules/stars', ready: '.definition', height: 1000 },
  { name: 'quality', path: '/quality', ready: '.rates table', height: 1180 },
];
