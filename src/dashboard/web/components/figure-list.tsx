import type { ComponentChildren } from 'preact';

/** A number that matters, with what it means. */
export interface FigureData {
  readonly name: string;
  readonly value: ComponentChildren;
  readonly note?: ComponentChildren;
  /** `bad` or `warn`. */
  readonly tone?: string;
}

/** Figures side by side. */
export const FigureList = ({ figures }: { readonly figures: readonly FigureData[] }) => (
  <dl class="figures">
    {figures.map(({ name, value, note, tone = '' }) => (
      <div key={name} class={`panel ${tone}`}>
        <dt>{name}</dt>
        <dd class="figure">{value}</dd>
        {note && <dd class="muted">{note}</dd>}
      </div>
    ))}
  </dl>
);
