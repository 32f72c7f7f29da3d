import type { RunResult } from '../child.ts';
import { interleave, perRound, type Rounds, type Spread } from '../interleave.ts';
import { type Peer, peers } from '../peers/list.ts';
import { runCommand } from '../processes.ts';
import {
  notesOf,
  pace,
  roundsOf,
  type Scene,
  type Setting,
  type Size,
  teller,
  trawl,
  withDatabase,
  withLoad,
} from '../scene.ts';

/** The same pages, crawled and stored by other tools in the same tables. */

interface Told {
  /** Edges and users in the file, including targets. */
  readonly users: number;
  readonly distinctUsers: number;
  readonly wallMs: number;
  readonly cpuMs: number;
}

const through = (peer: Peer, setting: Setting, size: Size) => (): Promise<RunResult> =>
  withDatabase(setting, async (db) => {
    const { url, targets, chains, edges, people, pages } = size;
    const given = [
      '--url',
      url,
      '--key',
      'bench',
      '--db',
      db,
      '--targets',
      targets.join(','),
      '--chains',
      String(chains),
    ];
    const told = await runCommand<Told>([...peer.command, ...given], peer.name);
    if (told.users !== edges || told.distinctUsers !== people + targets.length) {
      throw new Error(`${peer.name} stored ${told.users} edges to ${told.distinctUsers} users`);
    }
    return { pages, wallMs: told.wallMs, cpuMs: told.cpuMs, serverShare: 0 };
  });

function figuresOf(rounds: Rounds<RunResult>, asked: readonly Peer[]): Record<string, Spread> {
  return Object.fromEntries(
    asked.map(({ name }) => [`peer-${name}`, perRound(rounds, (round) => pace(round['trawl']!) / pace(round[name]!))]),
  );
}

export const peersScene: Scene = {
  name: 'peers',
  measure: (setting) =>
    withLoad({ chains: 32, latencyMs: 0, pages: [32, 8], cold: true }, setting, async (size) => {
      const present = peers.filter((peer) => peer.available());
      // A quick run measures only peers with a bar.
      const asked = present.filter(({ bar }) => bar !== undefined || !setting.quick);
      const variants = {
        trawl: trawl(setting, size),
        ...Object.fromEntries(asked.map((peer) => [peer.name, through(peer, setting, size)])),
      };
      const rounds = asked.length === 0 ? {} : await interleave(variants, roundsOf(setting), teller('peers', setting));
      return {
        figures: figuresOf(rounds, asked),
        notes: notesOf('peers', rounds),
        missing: peers.filter((peer) => !present.includes(peer)).map(({ name }) => `not installed: ${name}`),
      };
    }),
};
