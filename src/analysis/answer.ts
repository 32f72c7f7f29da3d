/** What is said of a value. It is worded once, in this folder: surfaces render it, and word nothing themselves. */
export interface Answer<State extends string = string> {
  readonly state: State;
  /** The name of its subject. */
  readonly label: string;
  /** The state, why and since when, without a full stop. */
  readonly sentence: string;
  /** The arguments of `trawl` that collect what is missing; null if there is nothing to do. */
  readonly command: string | null;
}
