import { readAccountList } from '#dashboard/server/pages/list-accounts.ts';
import { readCrawlList } from '#dashboard/server/pages/list-crawls.ts';
import { listKinds } from '#dashboard/server/pages/list-kinds.ts';
import { readAccountPage } from '#dashboard/server/pages/read-account-page.ts';
import { readCrawl } from '#dashboard/server/pages/read-crawl.ts';
import { readFieldRates } from '#dashboard/server/pages/read-field-rates.ts';
import { readFound } from '#dashboard/server/pages/read-found.ts';
import { readNetwork, writeNetworkGexf } from '#dashboard/server/pages/read-network.ts';
import { readOverviewData } from '#dashboard/server/pages/read-overview.ts';
import { readQuality } from '#dashboard/server/pages/read-quality.ts';
import { listQueries, readQueryForm } from '#dashboard/server/pages/read-query-form.ts';
import { readJobPage, readScheduleList } from '#dashboard/server/pages/read-schedules.ts';
import { readStatement } from '#dashboard/server/pages/read-statement.ts';
import { readPanels } from '#store/panels/panels.ts';
import type { Read } from './read.ts';

/**
 * The reads of all pages, by the path of their route. `/api/live` sends the first one again whenever it changes; statements of
 * queries run in processes of their own (`runs/`).
 */
export const READS: Readonly<Record<string, Read>> = {
  '/api/overview': readOverviewData,
  '/api/crawls': readCrawlList,
  '/api/crawls/kinds': listKinds,
  '/api/crawls/:id': readCrawl,
  '/api/accounts': readAccountList,
  '/api/accounts/:account': readAccountPage,
  '/api/network': readNetwork,
  '/api/network/panels': ({ db }) => readPanels(db).map(({ name, members }) => ({ name, members })),
  '/api/network/network.gexf': writeNetworkGexf,
  '/api/find': readFound,
  '/api/queries': listQueries,
  '/api/queries/:name': readQueryForm,
  '/api/queries/:name/statement': readStatement,
  '/api/schedules': readScheduleList,
  '/api/schedules/:job': readJobPage,
  '/api/quality': readQuality,
  '/api/quality/fields': readFieldRates,
};
