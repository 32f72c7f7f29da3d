/** What a page component gets. */
export interface PageProps {
  /** The parts of the path after the page's own, decoded: `['nasa']` of `/accounts/nasa`. */
  readonly path: readonly string[];
}
