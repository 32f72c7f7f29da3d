import { UsageError } from '#base/errors.ts';
import { getContext } from '#cli/context.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { trapSignals } from '#cli/shared/signals.ts';
import { formatBytes, formatCount, formatDuration, formatPercent, pluralize, pronounOf } from '#cli/terminal/print.ts';
import { type NetworkName, NETWORKS } from '#files/export/graph/networks.ts';
import { readGraph, type SelectedGraph } from '#files/export/graph/read-graph.ts';
import { graphFormatOf, writeGraph } from '#files/export/graph/write-graph.ts';
import { sidecarPathOf } from '#files/export/sidecar.ts';
import type { PseudonymOptions } from './pseudonym-options.ts';
import { IDS_IN_CSV } from './report.ts';
import type { SelectionOptions } from './selection-options.ts';
import { runSnapshotExport } from './snapshot-export.ts';

export interface GraphCommandOptions extends CommonOptions, SelectionOptions, PseudonymOptions {
  readonly output: string;
  readonly depth?: number;
  readonly minWeight: number;
}

/** The depth of given accounts: ego networks. */
const DEFAULT_DEPTH = 1;

/** Exports a network. Returns the exit code. @throws the reason of an interrupt */
export async function exportGraph(network: NetworkName, options: GraphCommandOptions): Promise<number> {
  const { output } = options;
  const format = graphFormatOf(output);
  checkOptions(network, options);
  // Edges are computed by long statements, during which no handler of a signal runs: Node's default ends the process at once.
  getContext().setInterruptMode?.('none');
  return await runSnapshotExport(options, { path: output }, async ({ snapshot, pseudonyms, command, show, ...run }) => {
    const { depth = DEFAULT_DEPTH, minWeight } = options;
    const selection = { ...run.selection, minWeight, depth };
    const graph = readGraph(snapshot.db, network, selection, (phase, done, total) =>
      show([phase, formatDone(done, total)].filter(Boolean).join(' · ')),
    );
    using interruption = trapSignals('stopping: no file is written');
    interruption.signal.throwIfAborted();
    const { files, edges, deletions } = await writeGraph({
      snapshot,
      graph,
      selection,
      path: output,
      command,
      signal: interruption.signal,
      pseudonyms,
      onRows: (rows) => show(`writing · ${formatDone(rows, graph.scannedEdges)}`),
    });
    const size = files.reduce((sum, { bytes }) => sum + bytes, 0);
    return {
      document: {
        network,
        nodes: graph.nodeCount,
        edges,
        excluded: graph.excluded,
        files: files.map(({ path, rows, bytes, sha256 }) => ({
          file: path,
          sidecar: sidecarPathOf(path),
          rows,
          bytes,
          sha256,
        })),
      },
      describe: (durationMs) => [
        `${output}: ${pluralize(graph.nodeCount, 'node')}, ${pluralize(edges, 'edge')}, ${formatBytes(size)}, in ${formatDuration(durationMs)}`,
        ...files.slice(0, -1).map(({ path }) => `${path}: the nodes`),
        `${sidecarPathOf(output)}: where the edges come from, and how complete they are`,
      ],
      notes: [...describeExcluded(graph), ...(format === 'csv' && !pseudonyms ? [IDS_IN_CSV] : [])],
      deletions,
    };
  });
}

const formatDone = (done: number, total: number | undefined): string =>
  total === undefined
    ? done === 0
      ? ''
      : formatCount(done)
    : `${formatCount(done)} of ${formatCount(total)} · ${formatPercent(total === 0 ? 1 : done / total)}`;

/** @throws UsageError for options that do not apply to the network */
function checkOptions(
  network: NetworkName,
  { depth, accounts, fromFile, panel, minWeight, olderThan }: GraphCommandOptions,
): void {
  const { nodes, isWeighted } = NETWORKS[network];
  if (!isWeighted && minWeight > 1)
    throw new UsageError(`--min-weight does not apply to ${network}: all weights are 1`);
  if (olderThan !== undefined && network === 'follows')
    throw new UsageError(`--older-than does not apply to ${network}: its edges come from no tweets`);
  if (depth === undefined) return;
  if (nodes !== 'accounts') throw new UsageError(`--depth does not apply to ${network}: its nodes are no accounts`);
  if ((accounts ?? fromFile ?? panel) === undefined)
    throw new UsageError('--depth needs accounts', { hint: 'Name them with --accounts, --from-file or --panel.' });
}

/** What is left out, and the options that include it. */
const REASONS: Readonly<Record<string, (n: number) => string>> = {
  endedFollows: (n) => `${pluralize(n, 'follow')} that had ended (--since includes those of a period)`,
  deletedTweets: (n) => `${pluralize(n, 'deleted tweet')} (--include-deleted includes ${pronounOf(n)})`,
  unavailableAccounts: (n) =>
    `${pluralize(n, 'row')} of accounts that the service no longer shows (--include-deleted includes ${pronounOf(n)})`,
  unknownParents: (n) => `${pluralize(n, 'reply', 'replies')} to unknown accounts`,
};

/** Exclusions that are said even if they have no rows. */
const ALWAYS_SAID = new Set(['deletedTweets', 'unavailableAccounts']);

const describeExcluded = ({ excluded }: SelectedGraph): string[] =>
  Object.entries(excluded).flatMap(([reason, n]) =>
    n > 0 || ALWAYS_SAID.has(reason) ? [`left out: ${REASONS[reason]!(n)}`] : [],
  );
