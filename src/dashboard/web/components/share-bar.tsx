/** A share as a bar. The text beside it says the same. */
export const ShareBar = ({ share }: { readonly share: number }) => (
  <span class="bar running" aria-hidden="true">
    <i style={{ width: `${Math.min(100, 100 * share)}%` }} />
  </span>
);
