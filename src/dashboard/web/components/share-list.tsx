import type { ComponentChildren } from 'preact';

/** A part of a whole: its name, its amount in words, and its share from 0 to 1. */
export interface ShareData {
  readonly key: string | number;
  readonly name: string;
  readonly note?: string;
  readonly amount: ComponentChildren;
  readonly share: number;
  readonly isLate?: boolean;
}

/** Shares as bars. */
export const ShareList = ({ shares }: { readonly shares: readonly ShareData[] }) => (
  <ol class="shares">
    {shares.map(({ key, name, note, amount, share, isLate }) => (
      <li key={key} class={isLate ? 'warn' : ''}>
        <span class="clamp" title={name}>
          <bdi>{name}</bdi> <span class="muted">{note}</span>
        </span>
        {amount}
        <ShareBar share={share} />
      </li>
    ))}
  </ol>
);

/** A share as a bar. The text beside it says the same. */
export const ShareBar = ({ share }: { readonly share: number }) => (
  <span class="bar running" aria-hidden="true">
    <i style={{ width: `${Math.min(100, 100 * share)}%` }} />
  </span>
);
