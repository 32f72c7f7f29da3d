import type { Communities, NetworkModel } from '../network-model.ts';

const HEAD = [
  ...['Id', 'Label', 'name', 'followers_count', 'community', 'follows_here', 'followed_here_by'],
  ...['followers_list', 'following_list'],
];

/** Writes nodes as CSV (RFC 4180), with the columns of the node tables of Gephi first. */
export function writeNodeCsv(model: NetworkModel, communities: Communities, shown: readonly number[]): string {
  const rows = shown.map((node) => {
    const { restId, label, name, followers, lists } = model.data.nodes[node]!;
    const community = communities.list[communities.of[node]!]?.key ?? 'given';
    const counts = [model.followed[node]!, model.followedBy[node]!];
    return [restId, label, name, followers, community, ...counts, lists.followers, lists.following];
  });
  return [HEAD, ...rows].map((row) => `${row.map(quote).join(',')}\n`).join('');
}

function quote(value: string | number | null): string {
  const text = value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
