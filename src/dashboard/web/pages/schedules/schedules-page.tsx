import type { PageProps } from '#dashboard/web/app/page-props.ts';
import { JobListPage } from './job-list-page.tsx';
import { JobPage } from './job-page.tsx';

/** The scheduled jobs: a list, and a page for each. */
export const SchedulesPage = ({ path: [job] }: PageProps) =>
  job === undefined ? <JobListPage /> : <JobPage key={job} job={job} />;
