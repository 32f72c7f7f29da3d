import type { ComponentChildren } from 'preact';

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
