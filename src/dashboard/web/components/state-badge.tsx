import { capitalise } from '#base/text.ts';
import type { CrawlState } from '#dashboard/server/api/overview.ts';

/** The state of a crawl, or what is like it. Success has a neutral colour: what needs attention stands out. */
export const StateBadge = ({ state, label = state }: { readonly state: CrawlState; readonly label?: string }) => (
  <span class={`state ${state}`}>
    <i aria-hidden="true" />
    {capitalise(label)}
  </span>
);
