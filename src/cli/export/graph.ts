import { systemClock } from '../../clock.ts';
import { UsageError } from '../../errors.ts';
import { type GraphSelection, type NetworkName, NETWORKS } from '../../export/graph/networks.ts';
import { readGraph, type SelectedGraph } from '../../export/graph/read-graph.ts';
import { graphFormatOf, writeGraph } from '../../export/graph/write-graph.ts';
import { createPseudonyms } from '../../export/pseudonyms/pseudonyms.ts';
import { sidecarPathOf } from '../../export/sidecar.ts';
import { openSnapshot } from '../../export/snapshot.ts';
import { getContext } from '../context.ts';
import { EXIT } from '../shared/common-options.ts';
import { decideEvidenceCode, printEvidenceAge } from '../shared/evidence-options.ts';
import { trapSignals } from '../shared/signals.ts';
import { formatBytes, formatCount, formatDuration, formatPercent, pluralize, pronounOf } from '../terminal/format.ts';
import { print, printJson, printNote } from '../terminal/output.ts';
import { createProgressLine } from '../terminal/progress.ts';
import { findAccounts } from './accounts.ts';
import { formatCommandLine } from './command-line.ts';
import type { GraphCommandOptions } from './graph-command.ts';
import { readPseudonymSettings } from './pseudonym-settings.ts';
import { IDS_IN_CSV } from './report.ts';
import { readSelection } from './selection-options.ts';

/** The depth of given accounts: ego networks. */
const DEFAULT_DEPTH = 1;

/** Exports a network. Returns the exit code. @throws the reason of an interrupt */
export async function exportGraph(network: NetworkName, options: GraphCommandOptions): Promise<number> {
  const { db, output, quiet, json } = options;
  const format = graphFormatOf(output);
  checkOptions(network, options);
  const settings = readPseudonymSettings(options, { path: output });
  // Edges are computed by long statements, during which no handler of a signal runs: Node's default ends the process at once.
  getContext().setInterruptMode?.('none');
  const startedAt = systemClock.now();
  using snapshot = openSnapshot(db);
  const { restIds, unknown } = await findAccounts(snapshot.db, options);
  const selection = readGraphSelection(options, restIds);
  using line = await createProgressLine({ quiet, now: systemClock.now });
  const graph = readGraph(snapshot.db, network, selection, (phase, done, total) =>
    line.show([phase, formatDone(done, total)].filter(Boolean).join(' · ')),
  );
  using interruption = trapSignals('stopping: no file is written');
  interruption.signal.throwIfAborted();
  const written = await writeGraph({
    snapshot,
    graph,
    selection,
    path: output,
    command: formatCommandLine(),
    signal: interruption.signal,
    pseudonyms: settings && createPseudonyms(settings),
    onRows: (rows) => line.show(`writing · ${formatDone(rows, graph.scannedEdges)}`),
  });
  line[Symbol.dispose]();
  const durationMs = systemClock.now() - startedAt;
  if (json) {
    printJson({
      network,
      nodes: graph.nodeCount,
      edges: written.edges,
      excluded: graph.excluded,
      deletions: written.deletions ?? null,
      durationMs,
      files: written.files.map((file) => ({
        file: file.path,
        sidecar: sidecarPathOf(file.path),
        ...describeBytes(file),
      })),
      snapshotAt: new Date(snapshot.takenAt).toISOString(),
      unknownAccounts: unknown,
    });
  } else {
    const size = written.files.reduce((sum, { bytes }) => sum + bytes, 0);
    print(
      `${output}: ${pluralize(graph.nodeCount, 'node')}, ${pluralize(written.edges, 'edge')}, ${formatBytes(size)}, in ${formatDuration(durationMs)}`,
    );
    for (const { path } of written.files.slice(0, -1)) print(`${path}: the nodes`);
    print(`${sidecarPathOf(output)}: where the edges come from, and how complete they are`);
  }
  if (!quiet) {
    for (const note of describeExcluded(graph)) printNote(note);
    if (written.deletions) printEvidenceAge(written.deletions);
    if (format === 'csv' && !settings) printNote(IDS_IN_CSV);
  }
  return unknown.length > 0 ? EXIT.partial : decideEvidenceCode(options, written.deletions);
}

const describeBytes = ({ rows, bytes, sha256 }: { rows: number; bytes: number; sha256: string }) => ({
  rows,
  bytes,
  sha256,
});

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
  if (accounts === undefined && fromFile === undefined && panel === undefined)
    throw new UsageError('--depth needs accounts', { hint: 'Name them with --accounts, --from-file or --panel.' });
}

function readGraphSelection(
  options: GraphCommandOptions,
  accountRestIds: readonly string[] | undefined,
): GraphSelection {
  const { since, until, includeDeleted, olderThan } = readSelection(options);
  const { depth = DEFAULT_DEPTH, minWeight, largestComponent = false } = options;
  return {
    since,
    until,
    includeDeleted,
    olderThan,
    accountRestIds,
    minWeight,
    depth,
    isLargestComponent: largestComponent,
  };
}

/** What is left out, and the options that include it. */
const REASONS: Readonly<Record<string, (n: number) => string>> = {
  endedFollows: (n) => `${pluralize(n, 'follow')} that had ended (--since includes those of a period)`,
  deletedTweets: (n) => `${pluralize(n, 'deleted tweet')} (--include-deleted includes ${pronounOf(n)})`,
  unavailableAccounts: (n) =>
    `${pluralize(n, 'row')} of accounts that the service no longer shows (--include-deleted includes ${pronounOf(n)})`,
  unknownParents: (n) => `${pluralize(n, 'reply', 'replies')} to unknown accounts`,
  otherComponents: (n) => `${pluralize(n, 'node')} of other components`,
};

/** Exclusions that are said even if they have no rows. */
const ALWAYS_SAID = new Set(['deletedTweets', 'unavailableAccounts']);

const describeExcluded = ({ excluded }: SelectedGraph): string[] =>
  Object.entries(excluded).flatMap(([reason, n]) =>
    n > 0 || ALWAYS_SAID.has(reason) ? [`left out: ${REASONS[reason]!(n)}`] : [],
  );
