import type { ComponentChildren } from 'preact';
import { StoreCommand } from './store-command.tsx';

/** Says why there is nothing, and one thing to do about it. */
export const EmptyState = (props: {
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly action?: ComponentChildren;
  /** What to type, without `trawl`. */
  readonly command?: string | null;
}) => (
  <div class="empty">
    <p class="empty-title">{props.title}</p>
    {props.children && <p>{props.children}</p>}
    {(props.action || props.command) && (
      <p class="empty-action">
        {props.action}
        {props.command && <StoreCommand command={props.command} />}
      </p>
    )}
  </div>
);

/** There is no crawl. */
export const NoCrawls = () => (
  <EmptyState title="No crawls yet" command="crawl timeline @nasa">
    The store is empty. The first crawl fills it.
  </EmptyState>
);

/** No page was stored. */
export const NotCollected = ({ children }: { readonly children: ComponentChildren }) => (
  <EmptyState title="Not collected" command="crawl timeline @nasa">
    {children}
  </EmptyState>
);
