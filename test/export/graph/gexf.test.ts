import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { escapeXml } from '#base/text.ts';
import { toEdgeTable, type GraphSelection, NETWORK_NAMES, type NetworkName } from '#files/export/graph/networks.ts';
import { readGraph } from '#files/export/graph/read-graph.ts';
import { formatGexf } from '#files/export/graph/write-graph.ts';
import { openSnapshot } from '#files/export/snapshot.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { createWorld } from '#twin/world/create-world.ts';
import { isInstalled } from '../../support/programs.ts';
import { tempFile } from '../../support/temp.ts';
import { ALL, createStore, idOf, runPython } from './support.ts';

/** Texts that people give to accounts to break programs, and those that break them by accident. */
const HOSTILE = [
  `<script>alert("1")</script> & 'co' ]]>`,
  'two\nlines\tand\r\ncontrols \u0000\u0007\u001b[31m\u007f\u0085\u2028',
  '"/><node id="evil" label="x',
  '&#0;&amp;<!-- --><![CDATA[x]]>',
  'مرحبا \u202eabc\u202c שלום 日本語 👩‍👩‍👧‍👦 \ufffe\uffff \u{1fffe}',
  '   spaces at both ends   ',
  '',
];

/** What XML 1.0 cannot contain: https://www.w3.org/TR/xml/#NT-Char. */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

test('texts keep all characters that XML can contain; others become U+FFFD', () => {
  for (const text of [...HOSTILE, 'a\ud800b', '\udc00', '\ud83d\ude00']) expect(escapeXml(text)).not.toMatch(FORBIDDEN);
  expect(escapeXml('a < b & "c" > \'d\'')).toBe("a &lt; b &amp; &quot;c&quot; &gt; 'd'");
  expect(escapeXml('a\ud800b\u0000')).toBe('a\ufffdb\ufffd');
  expect(escapeXml('😀')).toBe('😀');
  expect(escapeXml('a\nb\tc\rd')).toBe('a&#10;b&#9;c&#13;d');
});

const storeOf = () =>
  createStore((store) => {
    store.users(HOSTILE.length);
    for (const [i, name] of HOSTILE.entries())
      store.db.prepare('update users set name = ?, screen_name = ? where id = ?').run(name, `x${name}`, i + 1);
    store.db.exec(
      `update users set followers_count = 9007199254740991, verified = 1, created_at = 1700000000123, profile_at = 5 where id = 1`,
    );
    store.follow(1, 2, { from: 1_700_000_000_000, seen: 1_700_000_500_123 });
    store.follow(2, 1, { from: 1_700_000_000_000, ended: 1_700_086_400_000 });
    for (let i = 1; i < HOSTILE.length; i++) if (i !== 1) store.follow(i, i + 1);
  });

/** Writes a network, and returns the path of the file and its edge table. */
function exportGraph(db: string, network: NetworkName, selection: Partial<GraphSelection> = {}) {
  const file = tempFile(`${network}.gexf`);
  using snapshot = openSnapshot(db);
  const graph = readGraph(snapshot.db, network, { ...ALL, ...selection });
  writeFileSync(file, [...formatGexf(graph, 'A network.')].join(''));
  return { file, table: [...toEdgeTable(graph).rows] };
}

test('a file is of version 1.2draft: nodes, edges, their times and periods', () => {
  const db = createStore((store) => {
    store.users(2);
    store.followedBefore(1, 2, 1_600_000_000_000, 1_650_000_000_000);
    store.follow(1, 2, { from: 1_700_000_000_000 });
  });
  const text = readFileSync(exportGraph(db, 'follows', { since: 1 }).file, 'utf8');
  expect(text.replace(/<creator>.*?<\/creator>/, '').replace(/<attributes class="node".*?<\/attributes>/s, '')).toBe(
    `<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">
<meta><description>A network.</description></meta>
<graph mode="dynamic" defaultedgetype="directed" idtype="string" timeformat="date">

<attributes class="edge" mode="static">
<attribute id="0" title="last_seen_at" type="string"/>
</attributes>
<nodes>
<node id="${idOf(1)}" label="User_1" start="2020-09-13T12:26:40.000Z"><attvalues><attvalue for="0" value="Name 1"/><attvalue for="6" value="reference"/></attvalues></node>
<node id="${idOf(2)}" label="User_2" start="2020-09-13T12:26:40.000Z"><attvalues><attvalue for="0" value="Name 2"/><attvalue for="6" value="reference"/></attvalues></node>
</nodes>
<edges>
<edge id="1" source="${idOf(1)}" target="${idOf(2)}"><attvalues><attvalue for="0" value="2023-11-14T22:13:20.000Z"/></attvalues><spells><spell start="2020-09-13T12:26:40.000Z" end="2022-04-15T05:20:00.000Z"/><spell start="2023-11-14T22:13:20.000Z"/></spells></edge>
</edges>
</graph>
</gexf>
`,
  );
});

/** Prints a network as networkx reads it. */
const READ = `
import json, sys, networkx as nx
g = nx.read_gexf(sys.argv[1])
print(json.dumps({
  'directed': g.is_directed(), 'multigraph': g.is_multigraph(), 'mode': g.graph['mode'],
  'nodes': dict(g.nodes(data=True)), 'edges': [[a, b, d] for a, b, d in g.edges(data=True)],
}))`;

interface ReadGraph {
  readonly directed: boolean;
  readonly multigraph: boolean;
  readonly mode: string;
  readonly nodes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly edges: readonly (readonly [string, string, Readonly<Record<string, unknown>>])[];
}

const readGexf = (file: string): ReadGraph => runPython<ReadGraph>(READ, file);

describe.runIf(isInstalled('python3-networkx'))('networkx reads it', () => {
  test('ids are text, and attributes have their types and characters', () => {
    const { nodes, edges, directed, multigraph, mode } = readGexf(exportGraph(storeOf(), 'follows', { since: 1 }).file);
    expect({ directed, multigraph, mode }).toEqual({ directed: true, multigraph: false, mode: 'dynamic' });
    expect(Object.keys(nodes)).toEqual(HOSTILE.map((_, i) => idOf(i + 1)));
    // SQLite stores no text beyond a NUL when it is read by other programs; the driver keeps it.
    for (const [i, name] of HOSTILE.entries()) {
      const expected = name.replaceAll(new RegExp(FORBIDDEN, 'gu'), '\ufffd');
      expect(nodes[idOf(i + 1)]).toMatchObject({ name: expected, label: `x${expected}` });
    }
    expect(nodes[idOf(1)]).toMatchObject({
      followers_count: 0x1fffffffffffff,
      verified: true,
      known_by: 'profile',
      created_at: '2023-11-14T22:13:20.123Z',
    });
    expect(nodes[idOf(2)]).not.toHaveProperty('followers_count');
    const timesOf = (a: number, b: number) => edges.find(([s, t]) => s === idOf(a) && t === idOf(b))![2];
    expect(timesOf(1, 2)).toMatchObject({
      start: '2023-11-14T22:13:20.000Z',
      last_seen_at: '2023-11-14T22:21:40.123Z',
    });
    expect(timesOf(1, 2)).not.toHaveProperty('end');
    expect(timesOf(2, 1)).toMatchObject({ start: '2023-11-14T22:13:20.000Z', end: '2023-11-15T22:13:20.000Z' });
  });

  test('the edges, weights and neighbourhoods of a world are those of networkx', async () => {
    const db = tempFile('world.db');
    {
      using world = openDatabase(db);
      await createWorld({ db: world, users: 100, seed: 5 });
      world.$client.exec(
        `insert or ignore into tweet_links (tweet_id, url) select id, 'https://example.org/' || (id % 9) from tweets where id % 4 = 0`,
      );
    }
    for (const network of NETWORK_NAMES) {
      const { file, table } = exportGraph(db, network);
      const graph = readGexf(file);
      const edges = graph.edges.map(([a, b, { weight }]) => `${keyOf(graph, a, b)} ${Number(weight ?? 1)}`);
      const expected = table.map(([a, b, , weight]) => `${keyOf(graph, String(a), String(b))} ${Number(weight)}`);
      expect(edges.toSorted()).toEqual(expected.toSorted());
    }
    const all = exportGraph(db, 'mentions').file;
    const account = Object.keys(readGexf(all).nodes)[0]!;
    const ego = `
import json, sys, networkx as nx
g = nx.ego_graph(nx.read_gexf(sys.argv[1]), sys.argv[2], radius=int(sys.argv[3]), undirected=True)
print(json.dumps([sorted(g.nodes), sorted(map(' '.join, g.edges))]))`;
    for (const depth of [1, 2]) {
      const { nodes, edges } = readGexf(exportGraph(db, 'mentions', { accountRestIds: [account], depth }).file);
      expect([Object.keys(nodes).toSorted(), edges.map(([a, b]) => `${a} ${b}`).toSorted()]).toEqual(
        runPython(ego, all, account, String(depth)),
      );
    }
  });
});

/** Both ends of an edge; in order of their text if it has no direction. */
const keyOf = ({ directed }: ReadGraph, a: string, b: string): string =>
  (directed ? [a, b] : [a, b].toSorted()).join(' ');
