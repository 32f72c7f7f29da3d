import { capitalise, formatCount } from '../../../../base/text.ts';
import type { FacetData } from '../../../server/api/crawls.ts';
import { toggleValue } from '../../list/list-address.ts';

/** The conditions of the list, with the number of crawls beside each. */
export const FacetPanel = ({
  facets,
  selected,
}: {
  readonly facets: readonly FacetData[];
  readonly selected: number;
}) => (
  <details class="facets">
    <summary>Filter{selected > 0 && ` (${selected})`}</summary>
    {facets
      .filter(({ values }) => values.length > 0)
      .map(({ name, values }) => (
        <fieldset key={name}>
          <legend>{capitalise(name)}</legend>
          {values.map(({ value, label, n, isSelected }) => (
            <label key={value} class={n === 0 ? 'muted' : ''}>
              <input type="checkbox" checked={isSelected} onChange={() => toggleValue(name, value)} />{' '}
              <bdi>{label}</bdi>{' '}
              <span class="muted">
                {formatCount(n)}
                <span class="visually-hidden"> crawls</span>
              </span>
            </label>
          ))}
        </fieldset>
      ))}
  </details>
);
