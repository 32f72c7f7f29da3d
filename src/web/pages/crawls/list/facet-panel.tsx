import { useState } from 'preact/hooks';
import type { FacetData } from '../../../../dashboard/api/crawls.ts';
import { formatCount } from '../../../../text.ts';
import { toggleFacet } from './crawl-address.ts';

const TITLES: Readonly<Record<FacetData['name'], string>> = {
  state: 'State',
  kind: 'Kind',
  reason: 'Reason',
  priority: 'Priority',
  job: 'Job',
  run: 'Run',
};

/** The conditions of the list, with the number of crawls beside each. */
export const FacetPanel = ({ facets }: { readonly facets: readonly FacetData[] }) => (
  <div class="facets">
    {facets
      .filter(({ values }) => values.length > 0)
      .map((facet) => (
        <Facet key={facet.name} facet={facet} />
      ))}
  </div>
);

/** More values than this are shown on request. */
const SHOWN = 8;

function Facet({ facet: { name, values } }: { readonly facet: FacetData }) {
  const [isWhole, setWhole] = useState(false);
  const shown = values.filter(({ isSelected }, i) => isWhole || i < SHOWN || isSelected);
  return (
    <fieldset>
      <legend>{TITLES[name]}</legend>
      {shown.map(({ value, label, n, isSelected }) => (
        <label key={value} class={n === 0 ? 'none' : ''}>
          <input type="checkbox" checked={isSelected} onChange={() => toggleFacet(name, value)} />
          <bdi>{label}</bdi>
          <span class="number">
            {formatCount(n)}
            <span class="visually-hidden"> crawls</span>
          </span>
        </label>
      ))}
      {values.length > SHOWN && (
        <button class="link" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show all ${formatCount(values.length)}`}
        </button>
      )}
    </fieldset>
  );
}
