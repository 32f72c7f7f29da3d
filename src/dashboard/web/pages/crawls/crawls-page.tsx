import type { PageProps } from '../../app/page-props.ts';
import { CrawlListPage } from './crawl-list-page.tsx';
import { CrawlPage } from './crawl-page.tsx';
import { NewCrawlPage } from './new-crawl-page.tsx';

/** The crawls: a list, a page for each, and the form of new ones. */
export function CrawlsPage({ path: [id] }: PageProps) {
  if (id === undefined) return <CrawlListPage />;
  return id === 'new' ? <NewCrawlPage /> : <CrawlPage key={id} id={id} />;
}
