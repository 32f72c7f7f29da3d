import { extname } from 'node:path';
import type { EvidenceAge } from '../../../analysis/recheck/evidence-age.ts';
import type { SqlValue } from '../../../analysis/sql/sql-query.ts';
import { UsageError } from '../../../base/errors.ts';
import { FORMATS } from '../formats/formats.ts';
import type { Format, FormatOptions } from '../formats/output-format.ts';
import { contentOf } from '../pseudonyms/column-contents.ts';
import type { Pseudonyms } from '../pseudonyms/pseudonyms.ts';
import type { ResultSet } from '../result-set.ts';
import { readProvenance } from '../sidecar.ts';
import type { Snapshot } from '../snapshot.ts';
import { readCompleteness } from '../table-file.ts';
import { readDeletionEvidence } from '../table-query.ts';
import { exportTables } from '../tables/export-tables.ts';
import { type PreparedFile, prepareFile, type WrittenFile } from '../write-file.ts';
import { GEXF_MEDIA_TYPE, writeGexf } from './gexf.ts';
import {
  edgeTableColumns,
  toEdgeTable,
  toNodeTable,
  type GraphSelection,
  type NetworkName,
  NETWORKS,
  type GraphNode,
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
