import type { ComponentChildren } from 'preact';
import { StoreCommand } from './store-command.tsx';

/** Says why there is nothing, and one thing to do about it. */
export const EmptyState = (props: {
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly action?: ComponentChildren;
}) => (
  <div class="empty">
    <p class="empty-title">{props.title}</p>
    {props.children && <p>{props.children}</p>}
    {props.action && <p class="empty-action">{props.action}</p>}
  </div>
);

/** There is no crawl. */
export const NoCrawls = () => (
  <EmptyState title="No crawls yet" action={<StoreCommand command="crawl timeline @nasa" />}>
    The store is empty. The first crawl fills it.
  </EmptyState>
);

/** No page was stored. */
export const NotCollected = ({ children }: { readonly children: ComponentChildren }) => (
  <EmptyState title="Not collected" action={<StoreCommand command="crawl timeline @nasa" />}>
    {children}
  </EmptyState>
);
