import type { ComponentChildren } from 'preact';

export interface Pair {
  readonly name: ComponentChildren;
  readonly value: ComponentChildren;
  readonly isProblem?: boolean;
}

/** Names or times with their values. */
export const PairList = ({ pairs }: { readonly pairs: readonly Pair[] }) => (
  <dl class="pairs">
    {pairs.map(({ name, value, isProblem }, i) => (
      <div key={i}>
        <dt>{name}</dt>
        <dd class={isProblem ? 'bad' : ''}>
          <bdi>{value}</bdi>
        </dd>
      </div>
    ))}
  </dl>
);
