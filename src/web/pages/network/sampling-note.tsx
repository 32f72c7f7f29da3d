import type { NetworkData } from '../../../dashboard/api/network.ts';
import { formatCount, pluralize } from '../../../text.ts';
import { StoreCommand } from '../../components/store-command.tsx';
import type { NetworkAddress } from './network-address.ts';
import { isolate } from './network-model.ts';

/** Says what a network shows and what it cannot show, in sentences. */
export function describeSample(data: NetworkData, address: NetworkAddress): readonly string[] {
  const { nodes, total, follows, unknown } = data;
  const edges = follows.reduce((sum, list) => sum + list.length, 0);
  const where = address.hasNeighbours ? 'around' : 'among';
  const network = `${where} ${describeGiven(data, address)}`;
  const collected = nodes.filter(({ lists }) => lists.followers !== 'none' || lists.following !== 'none').length;
  const rest = nodes.length - collected;
  return [
    nodes.length < total
      ? `The ${formatCount(nodes.length)} most followed of ${pluralize(total, 'account')} ${network}.`
      : `${total === 1 ? 'The account' : `All ${formatCount(total)} accounts`} ${network}.`,
    `${pluralize(edges, 'follow')} among them. Edges come only from collected lists.`,
    rest === 0
      ? 'A list of each account was collected.'
      : `${formatCount(collected)} of the accounts ${collected === 1 ? 'has' : 'have'} a collected list; follows between two of the other ${formatCount(rest)} are not known.`,
    ...(unknown.length === 0
      ? []
      : [`${pluralize(unknown.length, 'given account')} not stored: ${listSome(unknown)}.`]),
  ];
}

const LISTED = 3;

/** The given accounts or the panel: `@nasa and @esa`. */
export function describeGiven({ given, panel }: NetworkData, { accounts }: NetworkAddress): string {
  if (panel !== null) return `the panel ${panel}${accounts.length === 0 ? '' : ` and ${listSome(accounts)}`}`;
  return listSome(given.length > 0 ? given.map(({ label }) => label) : accounts);
}

function listSome(names: readonly string[]): string {
  const [shown, more] = [names.slice(0, LISTED).map(isolate), names.length - LISTED];
  if (more > 0) return `${shown.join(', ')} and ${formatCount(more)} more`;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

/** The sentences below a picture, with what collects more. */
export const SamplingNote = ({
  lines,
  command,
}: {
  readonly lines: readonly string[];
  readonly command: string | null;
}) => (
  <div class="sampling">
    <p>
      {lines.map((line) => (
        <span key={line}>{line} </span>
      ))}
    </p>
    {command !== null && (
      <p>
        <StoreCommand command={command} /> collects more of them.
      </p>
    )}
  </div>
);
