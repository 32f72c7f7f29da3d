/** What the page Network shows: `/api/network`. Times are milliseconds UTC, and absent values are null. */
export interface NetworkData {
  /** When the store was read. */
  readonly at: number;
  /** Given accounts that the store does not have. */
  readonly unknown: readonly string[];
  /** The accounts of the network, of which `nodes` are the most followed; the given accounts are among them. */
  readonly total: number;
  /** The accounts with the most followers, these first. */
  readonly nodes: readonly NetworkNode[];
  /** For each node, the positions of the nodes that it follows. */
  readonly follows: readonly (readonly number[])[];
  /** Why there is no network; null if there is one. */
  readonly absence: NetworkAbsence | null;
  /** What collects more edges among the nodes, without `trawl`; null if all their lists are collected. */
  readonly command: string | null;
}

export interface NetworkNode {
  readonly restId: string;
  /** `@handle`, or `id:…` if the handle is not known. */
  readonly label: string;
  readonly name: string | null;
  /** As the service counted them last. */
  readonly followers: number | null;
  /** Whether the account itself was given. */
  readonly isGiven: boolean;
  /** Which lists were collected: `followers`, `following`, and `… in part`. */
  readonly lists: readonly string[];
}

/** Why there is no network. */
export interface NetworkAbsence {
  readonly title: string;
  /** A sentence. */
  readonly cause: string;
  /** What to type, without `trawl`; null if nothing helps. */
  readonly command: string | null;
}

/** A panel that a network can be shown of: `/api/network/panels`. */
export interface NetworkPanel {
  readonly name: string;
  readonly members: number;
}
