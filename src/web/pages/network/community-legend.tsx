import { formatCount } from '../../../text.ts';
import { type Communities, type Community, EGO_COLOR } from './network-model.ts';

interface LegendProps {
  readonly communities: Communities;
  readonly hidden: ReadonlySet<string>;
  readonly onToggle: (key: string) => void;
  /** What the given accounts are called, and whether they are shown; undefined if they cannot be removed. */
  readonly given: { readonly title: string; readonly isShown: boolean; readonly onToggle: () => void } | undefined;
}

/** The communities with their colours; each can be hidden. */
export const CommunityLegend = ({ communities: { list }, hidden, onToggle, given }: LegendProps) => (
  <fieldset class="network-legend">
    <legend>Detected communities</legend>
    {given && (
      <Entry
        {...{ title: given.title, color: EGO_COLOR, isShown: given.isShown, onToggle: given.onToggle }}
        note="Given"
      />
    )}
    {list.map((community) => (
      <Entry
        key={community.key}
        {...{ title: community.title, color: community.color, note: formatCount(community.members) }}
        isShown={!hidden.has(community.key)}
        onToggle={() => onToggle(community.key)}
      />
    ))}
  </fieldset>
);

const Entry = (props: {
  readonly title: string;
  readonly color: Community['color'];
  readonly note: string;
  readonly isShown: boolean;
  readonly onToggle: () => void;
}) => (
  <label>
    <input
      type="checkbox"
      checked={props.isShown}
      onChange={props.onToggle}
      style={{ '--swatch': `var(--${props.color})` }}
    />
    <span class="clamp" title={props.title}>
      {props.title}
    </span>
    <span class="muted">{props.note}</span>
  </label>
);
