import type { ReadTable } from '../../reader/read.ts';
import { readAccountList } from './list-accounts.ts';
import { readAccountPage } from './read-account-page.ts';

/** The reads of the page Accounts. */
export const ACCOUNT_READS: ReadTable = {
  '/api/accounts': readAccountList,
  '/api/accounts/:account': readAccountPage,
};
