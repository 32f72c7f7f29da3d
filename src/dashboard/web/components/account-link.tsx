import type { ComponentChildren } from 'preact';

/** The address of the page of an account. */
export const hrefOfAccount = (restId: string): string => `/accounts/${encodeURIComponent(`id:${restId}`)}`;

/** An account: its handle, which leads to its page, and its name. */
export const AccountLink = (props: {
  readonly restId: string;
  readonly handle: ComponentChildren;
  readonly name: ComponentChildren;
}) => (
  <>
    <a href={hrefOfAccount(props.restId)}>
      <bdi>{props.handle}</bdi>
    </a>{' '}
    <bdi class="muted">{props.name}</bdi>
  </>
);

/** `@handle`, or the id if the handle is not known. */
export const formatHandle = ({ handle, restId }: { readonly handle: string | null; readonly restId: string }): string =>
  handle === null ? `id:${restId}` : `@${handle}`;
