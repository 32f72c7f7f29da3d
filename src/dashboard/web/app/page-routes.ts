import type { ComponentType } from 'preact';
import type { PageProps } from './page-props.ts';

/** A page of the dashboard. Its files are in a folder of `pages/`, and loaded when it is opened. */
export interface PageEntry {
  /** The first part of its path; empty for the first page. */
  readonly name: string;
  readonly load: () => Promise<ComponentType<PageProps>>;
}

/** The pages in the order of the navigation. */
export const PAGES: readonly PageEntry[] = [
  {
    name: '',
    load: async () => (await import('#dashboard/web/pages/overview/overview-page.tsx')).OverviewPage,
  },
  {
    name: 'crawls',
    load: async () => (await import('#dashboard/web/pages/crawls/crawls-page.tsx')).CrawlsPage,
  },
  {
    name: 'accounts',
    load: async () => (await import('#dashboard/web/pages/accounts/accounts-page.tsx')).AccountsPage,
  },
  {
    name: 'network',
    load: async () => (await import('#dashboard/web/pages/network/network-page.tsx')).NetworkPage,
  },
  {
    name: 'find',
    load: async () => (await import('#dashboard/web/pages/find/find-page.tsx')).FindPage,
  },
  {
    name: 'queries',
    load: async () => (await import('#dashboard/web/pages/queries/queries-page.tsx')).QueriesPage,
  },
  {
    name: 'schedules',
    load: async () => (await import('#dashboard/web/pages/schedules/schedules-page.tsx')).SchedulesPage,
  },
  {
    name: 'quality',
    load: async () => (await import('#dashboard/web/pages/quality/quality-page.tsx')).QualityPage,
  },
];

/** Finds the page of a path; undefined if there is none. */
export function findPage(pathname: string): { readonly page: PageEntry; readonly path: readonly string[] } | undefined {
  const [name = '', ...path] = pathname.split('/').slice(1).map(decodePart);
  const page = PAGES.find((one) => one.name === name);
  return page && { page, path: path.filter((part) => part !== '') };
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
