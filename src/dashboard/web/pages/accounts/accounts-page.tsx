import type { PageProps } from '../../app/page-props.ts';
import { AccountListPage } from './account-list-page.tsx';
import { AccountPage } from './account-page.tsx';

/** The accounts: a list, and a page for each. */
export const AccountsPage = ({ path: [account] }: PageProps) =>
  account === undefined ? <AccountListPage /> : <AccountPage key={account} account={account} />;
