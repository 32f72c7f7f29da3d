import type { PageProps } from '../../app/pages.ts';
import { CrawlPage } from './crawl-page.tsx';
import { CrawlListPage } from './list/crawl-list-page.tsx';
import { NewCrawlPage } from './new-crawl-page.tsx';
import './crawls.css';
import './list/crawl-list.css';
import './crawl-page.css';

/** The crawls: a list, a page for each, and the form of new ones. */
export function CrawlsPage({ path: [id] }: PageProps) {
  if (id === undefined) return <CrawlListPage />;
  return id === 'new' ? <NewCrawlPage /> : <CrawlPage key={id} id={id} />;
}
