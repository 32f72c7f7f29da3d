import type { PageProps } from '../../app/pages.ts';
import { AccountPage } from './account-page.tsx';
import { AccountListPage } from './list/account-list-page.tsx';
import './accounts.css';

/** The accounts: a list, and a page for each. */
export const AccountsPage = ({ path: [account] }: PageProps) =>
  account === undefined ? <AccountListPage /> : <AccountPage key={account} account={account} />;
