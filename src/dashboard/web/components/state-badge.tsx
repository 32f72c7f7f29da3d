import { capitalise } from '../../../base/text.ts';
import type { CrawlState } from '../../server/api/overview.ts';

/** The state of a crawl. Success has a neutral colour: what needs attention stands out. */
export const StateBadge = ({ state }: { readonly state: CrawlState }) => (
  <span class={`state ${state}`}>
    <i aria-hidden="true" />
    {capitalise(state)}
  </span>
);
