import type { RunResult } from '../child.ts';
import { interleave, perRound, type Rounds, type Spread } from '../interleave.ts';
import { type Peer, peers } from '../peers/list.ts';
import { runCommand } from '../processes.ts';
import {
  notesOf,
  pagesPerSecond,
  roundsOf,
  type Scene,
  type Setting,
  type Size,
  createResultLogger,
  trawl,
  withDatabase,
  withLoad,
} from '../scene.ts';

/** The same pages, crawled and stored by other tools in the same tables. */

interface PeerResult {
  /** Edges and users in the file, including targets. */
  readonly users: number;
  readonly distinctUsers: number;
  readonly wallMs: number;
  readonly cpuMs: number;
}

const runPeer = (peer: Peer, setting: Setting, size: Size) => (): Promise<RunResult> =>
  withDatabase(setting, async (db) => {
    const { url, targets, warm, concurrency, edges, people, pages } = size;
    const lists = { targets: targets.join(','), warm: warm.targets.join(',') };
    const values = { url, key: 'bench', db, ...lists, chains: String(concurrency) };
    const options = Object.entries(values).flatMap(([name, value]) => [`--${name}`, value]);
    const result = await runCommand<PeerResult>([...peer.command, ...options], peer.name);
    const accounts = people + warm.people + targets.length + warm.targets.length;
    if (result.users !== edges + warm.edges || result.distinctUsers !== accounts) {
      throw new Error(`${peer.name} stored ${result.users} edges to ${result.distinctUsers} users`);
    }
    return { pages, wallMs: result.wallMs, cpuMs: result.cpuMs, serverShare: 0 };
  });

function figuresOf(rounds: Rounds<RunResult>, measuredPeers: readonly Peer[]): Record<string, Spread> {
  return Object.fromEntries(
    measuredPeers.map(({ name }) => [
      `peer-${name}`,
      perRound(rounds, (round) => pagesPerSecond(round['trawl']!) / pagesPerSecond(round[name]!)),
    ]),
  );
}

export const peersScene: Scene = {
  name: 'peers',
  measure: (setting) =>
    withLoad({ concurrency: 32, latencyMs: 0, pages: [32, 4] }, setting, async (size) => {
      const availablePeers = peers.filter((peer) => peer.available());
      const measuredPeers = availablePeers.filter(({ quick }) => quick || !setting.quick);
      const variants = {
        trawl: trawl(setting, size),
        ...Object.fromEntries(measuredPeers.map((peer) => [peer.name, runPeer(peer, setting, size)])),
      };
      const rounds =
        measuredPeers.length === 0
          ? {}
          : await interleave(variants, roundsOf(setting), createResultLogger('peers', setting));
      return {
        figures: figuresOf(rounds, measuredPeers),
        notes: notesOf('peers', rounds),
        missing: Object.fromEntries(
          peers.map((peer) => [
            `peer-${peer.name}`,
            availablePeers.includes(peer)
              ? 'quick runs leave it out'
              : 'it is not installed; see bench/peers/README.md',
          ]),
        ),
      };
    }),
};
