import type { SqlValue } from '../../../analysis/sql/sql-query.ts';
import { VERSION } from '../../../base/package-root.ts';
import { escapeXml } from '../../../base/text.ts';
import { toIso } from '../../../base/units.ts';
import type { FormatOptions, Sink } from '../formats/output-format.ts';
import { joinPieces } from '../formats/text-format.ts';
import type { ColumnType, ResultColumn } from '../result-set.ts';
import { type Graph, type GraphEdge, NETWORKS } from './networks.ts';

export const GEXF_MEDIA_TYPE = 'application/gexf+xml';

/** Edges between two reports of progress. */
const REPORTED_EDGES = 10_000;

/**
 * Writes a network as GEXF 1.2draft, which Gephi and networkx read (networkx refuses 1.3), and returns the number of edges.
 * Values of `start` and `end` are ISO 8601 times. `timeformat` is nevertheless `date`: Gephi reads both forms for it, and
 * networkx fails for `dateTime`.
 */
export async function writeGexf(
  graph: Graph,
  description: string,
  sink: Sink,
  { onRows, signal }: FormatOptions,
): Promise<number> {
  let edges = 0;
  const onEdge = (): void => {
    edges += 1;
    if (edges % REPORTED_EDGES === 0) onRows?.(edges);
  };
  for (const chunk of joinPieces(formatGexf(graph, description, onEdge))) {
    signal?.throwIfAborted();
    await sink.write(chunk);
  }
  return edges;
}

/** Formats a network as pieces of a GEXF file. */
export function* formatGexf(
  graph: Graph,
  description: string,
  onEdge: () => void = () => undefined,
): Generator<string> {
  const { isDirected } = NETWORKS[graph.network];
  const keys: string[] = [];
  yield `<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">
<meta><creator>trawl ${VERSION}</creator><description>${escapeXml(description)}</description></meta>
<graph mode="dynamic" defaultedgetype="${isDirected ? 'directed' : 'undirected'}" idtype="string" timeformat="date">
`;
  yield formatAttributes('node', graph.nodeColumns);
  yield formatAttributes('edge', EDGE_ATTRIBUTES);
  yield '<nodes>\n';
  yield* formatNodes(graph, keys);
  yield '</nodes>\n<edges>\n';
  yield* formatEdges(graph, keys, onEdge);
  yield '</edges>\n</graph>\n</gexf>\n';
}

const ATTRIBUTE_TYPES: Partial<Record<ColumnType, string>> = { integer: 'long', boolean: 'boolean', real: 'double' };

const EDGE_ATTRIBUTES: readonly ResultColumn[] = [{ name: 'last_seen_at', type: 'timestamp' }];

const formatAttributes = (of: 'node' | 'edge', columns: readonly ResultColumn[]): string =>
  `<attributes class="${of}" mode="static">\n${columns
    .map(({ name, type }, i) => `<attribute id="${i}" title="${name}" type="${ATTRIBUTE_TYPES[type] ?? 'string'}"/>\n`)
    .join('')}</attributes>\n`;

function* formatNodes({ nodes, nodeColumns }: Graph, keys: string[]): Generator<string> {
  const types = nodeColumns.map(({ type }) => type);
  for (const { id, key, label, startAt, endAt, values } of nodes()) {
    const escapedKey = escapeXml(key);
    keys[id] = escapedKey;
    let attributes = '';
    for (const [i, value] of values.entries())
      if (value !== null) attributes += `<attvalue for="${i}" value="${formatValue(value, types[i]!)}"/>`;
    const times = formatTimes(startAt, endAt);
    yield `<node id="${escapedKey}" label="${escapeXml(label)}"${times}><attvalues>${attributes}</attvalues></node>\n`;
  }
}

function formatValue(value: NonNullable<SqlValue>, type: ColumnType): string {
  if (type === 'timestamp') return formatTime(Number(value));
  if (type === 'boolean') return Number(value) === 0 ? 'false' : 'true';
  return escapeXml(String(value));
}

function* formatEdges(graph: Graph, keys: readonly string[], onEdge: () => void): Generator<string> {
  const { isWeighted } = NETWORKS[graph.network];
  let number = 0;
  for (const edge of graph.edges()) {
    const [source, target, weight, , , lastSeenAt] = edge;
    number += 1;
    const start = `<edge id="${number}" source="${keys[source]}" target="${keys[target]}"${isWeighted ? ` weight="${weight}"` : ''}`;
    const seen =
      lastSeenAt === null ? '' : `<attvalues><attvalue for="0" value="${formatLastSeen(lastSeenAt)}"/></attvalues>`;
    yield start + formatPeriods(edge, seen);
    onEdge();
  }
}

/** The times of an edge, and its end tag. Several periods are spells. */
function formatPeriods([, , , startAt, endAt, , periods]: GraphEdge, children: string): string {
  const list = periods === null ? [] : (JSON.parse(periods) as readonly (readonly [number, number | null])[]);
  if (list.length > 1) {
    const spells = list.map(([start, end]) => `<spell${formatTimes(start, end)}/>`).join('');
    return `>${children}<spells>${spells}</spells></edge>\n`;
  }
  const times = formatTimes(startAt, endAt);
  return children === '' ? `${times}/>\n` : `${times}>${children}</edge>\n`;
}

const formatTimes = (startAt: number | null, endAt: number | null): string =>
  (startAt === null ? '' : ` start="${formatTime(startAt)}"`) + (endAt === null ? '' : ` end="${formatTime(endAt)}"`);

/** Returns a function that formats milliseconds as ISO 8601 in UTC. The edges of a page have the same time. */
function createTimeFormatter(): (at: number) => string {
  let latest = Number.NaN;
  let text = '';
  return (at) => {
    if (at !== latest) [latest, text] = [at, toIso(at)];
    return text;
  };
}

const formatTime = createTimeFormatter();
const formatLastSeen = createTimeFormatter();
