import { extname } from 'node:path';
import type { EvidenceAge } from '#analysis/recheck/evidence-age.ts';
import type { SqlValue } from '#analysis/sql/sql-query.ts';
import { UsageError } from '#base/errors.ts';
import { VERSION } from '#base/package-root.ts';
import { escapeXml } from '#base/text.ts';
import { toIso } from '#base/units.ts';
import { FORMATS } from '#files/export/formats/formats.ts';
import type { Format, FormatOptions, Sink } from '#files/export/formats/output-format.ts';
import { joinPieces } from '#files/export/formats/text-format.ts';
import { contentOf } from '#files/export/pseudonyms/column-contents.ts';
import type { Pseudonyms } from '#files/export/pseudonyms/pseudonyms.ts';
import type { ResultSet, ColumnType, ResultColumn } from '#files/export/result-set.ts';
import { readProvenance } from '#files/export/sidecar.ts';
import type { Snapshot } from '#files/export/snapshot.ts';
import { readCompleteness } from '#files/export/table-file.ts';
import { readDeletionEvidence } from '#files/export/table-query.ts';
import { exportTables } from '#files/export/tables/export-tables.ts';
import { type PreparedFile, prepareFile, type WrittenFile } from '#files/export/write-file.ts';
import {
  edgeTableColumns,
  toEdgeTable,
  toNodeTable,
  type GraphSelection,
  type NetworkName,
  NETWORKS,
  type GraphNode,
  type Graph,
  type GraphEdge,
} from './networks.ts';
import type { SelectedGraph } from './read-graph.ts';

/** `gexf`: one file. `csv`: an edge table, and beside it a node table. */
export type GraphFormat = 'gexf' | 'csv';

/** @throws UsageError that lists the extensions */
export function graphFormatOf(path: string): GraphFormat {
  const extension = extname(path).slice(1).toLowerCase();
  if (extension === 'gexf' || extension === 'csv') return extension;
  throw new UsageError(`${path} has no extension of a network`, {
    hint: 'Extensions: .gexf, or .csv for an edge table and a node table.',
  });
}

/** The path of the node table of an edge table: `follows.nodes.csv` of `follows.csv`. */
const nodeTablePathOf = (path: string): string => path.replace(/\.[^.]*$/, '.nodes$&');

interface GraphFileRequest extends Pick<FormatOptions, 'signal' | 'onRows'> {
  readonly snapshot: Snapshot;
  readonly graph: SelectedGraph;
  readonly selection: GraphSelection;
  readonly path: string;
  /** The command line, without the API key. */
  readonly command: string;
  readonly pseudonyms?: Pseudonyms | undefined;
}

/** The written files, the file of the edges last. Its rows are the edges. */
export interface GraphFiles {
  readonly files: readonly WrittenFile[];
  readonly edges: number;
  /** How old the evidence of deletions is; undefined if no deleted tweets are left out. */
  readonly deletions: EvidenceAge | undefined;
}

/** The tables that have the rows of a network, and the kinds of the lists that they come from. */
const TABLES = {
  follows: exportTables.follows,
  replies: exportTables.replies,
  mentions: exportTables.mentions,
  cohashtags: exportTables.hashtags,
  colinks: exportTables.links,
} satisfies Record<NetworkName, unknown>;

/**
 * Writes a network as GEXF, or as an edge table and a node table, each with its sidecar. All files appear under their names
 * only when all are complete. @throws TrawlError if a file cannot be written, or the reason of the signal
 */
export async function writeGraph(request: GraphFileRequest): Promise<GraphFiles> {
  const { snapshot, selection, path, command, pseudonyms, signal, onRows } = request;
  const graph = pseudonyms ? pseudonymiseGraph(request.graph, pseudonyms) : request.graph;
  const provenance = readProvenance(snapshot, command);
  const completeness = readCompleteness(snapshot, selection, TABLES[graph.network].kinds);
  const { excluded } = graph;
  // Accounts are the centre of a network, not the authors of all its tweets.
  const deletions =
    excluded['deletedTweets'] === undefined
      ? undefined
      : readDeletionEvidence(snapshot, { olderThan: selection.olderThan });
  const describe = () => ({ excluded, deletions, completeness });
  const prepare = (file: string, format: Format, result: ResultSet) =>
    prepareFile({ path: file, format, result, origin: provenance, pseudonyms, onRows, signal, describe });

  if (graphFormatOf(path) === 'gexf') {
    const text = `Network of ${graph.network}. ${NETWORKS[graph.network].meaning} As of ${provenance.snapshotAt}.`;
    const columns = edgeTableColumns(graph.network);
    await using file = await prepare(path, gexfFormat(graph, text), { columns, rows: [] });
    return { ...(await commitAll([file])), deletions };
  }
  await using nodes = await prepare(nodeTablePathOf(path), FORMATS.csv, toNodeTable(graph));
  await using edges = await prepare(path, FORMATS.csv, toEdgeTable(graph));
  return { ...(await commitAll([nodes, edges])), deletions };
}

const gexfFormat = (graph: SelectedGraph, description: string): Format => ({
  extensions: ['gexf'],
  mediaType: GEXF_MEDIA_TYPE,
  isText: true,
  write: (_, sink, options = {}) => writeGexf(graph, description, sink, options),
});

async function commitAll(prepared: readonly PreparedFile[]): Promise<Pick<GraphFiles, 'files' | 'edges'>> {
  for (const file of prepared) await file.commit();
  const files = prepared.map(({ written }) => written);
  return { files, edges: files.at(-1)!.rows };
}

/** Returns a network with pseudonyms as keys and labels of nodes, and without their private attributes. */
function pseudonymiseGraph(graph: SelectedGraph, pseudonyms: Pseudonyms): SelectedGraph {
  const contents = graph.nodeColumns.map(({ name }) => contentOf('nodes', name));
  const kept = contents.flatMap((content, i) => (pseudonyms.omits(content) ? [] : [i]));
  const replaceValue = (value: SqlValue, i: number): SqlValue =>
    typeof value === 'string' ? pseudonyms.replace(contents[i]!, value, '') : value;
  const rename = NETWORKS[graph.network].nodes === 'accounts' ? renameAccount : renameHashtag;
  return {
    ...graph,
    nodeColumns: kept.map((i) => graph.nodeColumns[i]!),
    *nodes() {
      for (const node of graph.nodes())
        yield { ...rename(node, pseudonyms), values: kept.map((i) => replaceValue(node.values[i]!, i)) };
    },
  };
}

/** The key is the id of the account, or `@handle`; the label is its handle, or its id. */
function renameAccount(node: GraphNode, { replace }: Pseudonyms): GraphNode {
  const { key, label } = node;
  const newKey = key.startsWith('@') ? replace('handle', key.slice(1), '') : replace('account', key, '');
  return { ...node, key: newKey, label: label === key ? newKey : replace('handle', label, '') };
}

function renameHashtag(node: GraphNode, { replace }: Pseudonyms): GraphNode {
  const tag = replace('hashtag', node.key, '');
  return { ...node, key: tag, label: `#${tag}` };
}

export const GEXF_MEDIA_TYPE = 'application/gexf+xml';

/** Edges between two reports of progress. */
const REPORTED_EDGES = 10_000;

/**
 * Writes a network as GEXF 1.2draft, which Gephi and networkx read (networkx refuses 1.3), and returns the number of edges.
 * Values of `start` and `end` are ISO 8601 times. `timeformat` is nevertheless `date`: Gephi reads both forms for it, and
 * networkx fails for `dateTime`.
 */
async function writeGexf(
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
