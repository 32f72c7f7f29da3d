import type { PageProps } from '../../app/pages.ts';
import { CrawlListPage } from './crawl-list-page.tsx';
import { CrawlPage } from './crawl-page.tsx';
import './crawls.css';
import './crawl-list.css';
import './crawl-page.css';

/** The crawls: a list, and a page for each. */
export const CrawlsPage = ({ path: [id] }: PageProps) =>
  id === undefined ? <CrawlListPage /> : <CrawlPage key={id} id={id} />;
