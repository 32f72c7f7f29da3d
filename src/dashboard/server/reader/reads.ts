import { readPanels } from '../../../store/panels/panels.ts';
import { readAccountList } from '../pages/accounts/list-accounts.ts';
import { readAccountPage } from '../pages/accounts/read-account-page.ts';
import { readCrawlList } from '../pages/crawls/list-crawls.ts';
import { listKinds } from '../pages/crawls/list-kinds.ts';
import { readCrawl } from '../pages/crawls/read-crawl.ts';
import { readFound } from '../pages/find/read-found.ts';
import { readNetwork, writeNetworkGexf } from '../pages/network/read-network.ts';
import { readOverviewData } from '../pages/overview/read-overview.ts';
import { readFieldRates } from '../pages/quality/read-field-rates.ts';
import { readQuality } from '../pages/quality/read-quality.ts';
import { listQueries, readQueryForm } from '../pages/queries/read-query-form.ts';
import { readStatement } from '../pages/queries/read-statement.ts';
import { readJobPage, readScheduleList } from '../pages/schedules/read-schedules.ts';
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
