/** What the page Network shows: `/api/network`. Times are milliseconds UTC, and absent values are null. */
export interface NetworkData {
  /** When the store was read. */
  readonly at: number;
  /** The panel that was given. */
  readonly panel: string | null;
  /** The given accounts, also if the network is without them; members of a panel are not listed. */
  readonly given: readonly Pick<NetworkNode, 'restId' | 'label'>[];
  /** Given accounts that the store does not have. */
  readonly unknown: readonly string[];
  /** The accounts of the network, of which `nodes` are the most followed; the given accounts are among them. */
  readonly total: number;
  /** The accounts with the most followers, these first. */
  readonly nodes: readonly NetworkNode[];
  /** For each node, the positions of the nodes that it follows, ascending. */
  readonly follows: readonly (readonly number[])[];
  /** Why there is no network; null if there is one. */
  readonly absence: NetworkAbsence | null;
  /** What collects more edges among the nodes, without `trawl`; null if all their lists are collected. */
  readonly command: string | null;
}

/** Whether a list was collected: to its end, in part, or not at all. */
export type ListState = 'complete' | 'partial' | 'none';

export interface NetworkNode {
  readonly restId: string;
  /** `@handle`, or `id:…` if the handle is not known. */
  readonly label: string;
  readonly name: string | null;
  /** As the service counted them last. */
  readonly followers: number | null;
  /** Whether the account itself was given. */
  readonly isGiven: boolean;
  /** Its list of followers, and that of the accounts that it follows. */
  readonly lists: { readonly followers: ListState; readonly following: ListState };
}

/** Why there is no network. */
export interface NetworkAbsence {
  readonly title: string;
  /** A sentence. */
  readonly cause: string;
  /** What to type, without `trawl`; null if nothing helps. */
  readonly command: string | null;
}

/** What a network can be shown of: `/api/network/suggestions`. */
export interface NetworkSuggestions {
  readonly panels: readonly PanelSuggestion[];
  /** Accounts whose lists were collected, the longest list first. */
  readonly accounts: readonly AccountSuggestion[];
}

export interface PanelSuggestion {
  readonly name: string;
  readonly description: string | null;
  readonly members: number;
}

export interface AccountSuggestion {
  readonly restId: string;
  readonly label: string;
  readonly name: string | null;
  /** Its longest collected list, and the number of accounts in it. */
  readonly list: 'followers' | 'following';
  readonly collected: number;
}
