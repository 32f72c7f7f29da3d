import type { PageProps } from '../../app/page-props.ts';
import { QueryListPage } from './query-list-page.tsx';
import { QueryPage } from './query-page.tsx';

/** The saved queries: a list, and a page for each. */
export const QueriesPage = ({ path: [name] }: PageProps) =>
  name === undefined ? <QueryListPage /> : <QueryPage key={name} name={name} />;
