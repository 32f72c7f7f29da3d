import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { escapeXml } from '../../../src/text.ts';
import { runSuccessfully } from '../../support/cli.ts';
import { isInstalled } from '../../support/programs.ts';
import { tempFile } from '../../support/temp.ts';
import { createStore, idOf, openStoreFile, runPython } from './support.ts';

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
    store.followedBefore(3, 4, 1_600_000_000_000, 1_650_000_000_000);
    store.follow(3, 4, { from: 1_700_000_000_000 });
    for (let i = 1; i < HOSTILE.length; i++) if (i !== 1 && i !== 3) store.follow(i, i + 1);
  });

/** Exports a network, and returns the path of the file. */
async function exportGraph(db: string, network: string, ...options: readonly string[]): Promise<string> {
  const file = tempFile(`${network}.gexf`);
  await runSuccessfully(['export', 'graph', network, '-o', file, '--db', db, '--quiet', ...options]);
  return file;
}

test('a file is of version 1.2draft, and says what its times mean', async () => {
  const text = readFileSync(await exportGraph(storeOf(), 'follows'), 'utf8');
  expect(text).toMatch(
    /^<\?xml version="1.0" encoding="UTF-8"\?>\n<gexf xmlns="http:\/\/www.gexf.net\/1.2draft" version="1.2">/,
  );
  expect(text).toContain('mode="dynamic" defaultedgetype="directed"');
  expect(text).toContain('when it began is unknown');
});

/** A world in which accounts share links. */
async function createLinkedWorld(users: number, seed: number): Promise<string> {
  const db = tempFile('world.db');
  const size = ['--users', String(users), '--seed', String(seed)];
  await runSuccessfully(['world', 'create', ...size, '--db', db, '--quiet']);
  openStoreFile(db).exec(
    `insert or ignore into tweet_links (tweet_id, url) select id, 'https://example.org/' || (id % 9) from tweets where id % 4 = 0`,
  );
  return db;
}

/** Prints a network as networkx reads it. */
const READ = `
import json, sys, networkx as nx
g = nx.read_gexf(sys.argv[1])
components = nx.weakly_connected_components(g) if g.is_directed() else nx.connected_components(g)
print(json.dumps({
  'directed': g.is_directed(), 'multigraph': g.is_multigraph(), 'mode': g.graph['mode'],
  'nodes': dict(g.nodes(data=True)), 'edges': [[a, b, d] for a, b, d in g.edges(data=True)],
  'components': sorted((sorted(c) for c in components), key=lambda c: (-len(c), c)),
}))`;

interface ReadGraph {
  readonly directed: boolean;
  readonly multigraph: boolean;
  readonly mode: string;
  readonly nodes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly edges: readonly (readonly [string, string, Readonly<Record<string, unknown>>])[];
  readonly components: readonly (readonly string[])[];
}

const readGraph = (file: string): ReadGraph => runPython<ReadGraph>(READ, file);

describe.runIf(isInstalled('python3-networkx'))('networkx reads it', () => {
  test('ids are text, and attributes have their types and characters', async () => {
    const { nodes, edges, directed, multigraph, mode } = readGraph(
      await exportGraph(storeOf(), 'follows', '--since', '2001-01-01'),
    );
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
    expect(timesOf(3, 4)['spells']).toEqual([
      ['2020-09-13T12:26:40.000Z', '2022-04-15T05:20:00.000Z'],
      // networkx makes a text of the missing end.
      ['2023-11-14T22:13:20.000Z', 'None'],
    ]);
  });

  test('the edges, weights and components of a world are the same as in its edge table', async () => {
    const db = await createLinkedWorld(150, 5);
    for (const network of ['follows', 'replies', 'mentions', 'cohashtags', 'colinks']) {
      const graph = readGraph(await exportGraph(db, network));
      const table = tempFile(`${network}.csv`);
      await runSuccessfully(['export', 'graph', network, '-o', table, '--db', db, '--quiet']);
      const [, ...rows] = readFileSync(table, 'utf8').trim().split('\n');
      const edges = graph.edges.map(([a, b, { weight }]) => `${keyOf(graph, a, b)} ${Number(weight ?? 1)}`);
      const expected = rows.map((row) => row.split(',')).map(([a, b, , weight]) => `${keyOf(graph, a!, b!)} ${weight}`);
      expect(edges.toSorted()).toEqual(expected.toSorted());
      const largest = readGraph(await exportGraph(db, network, '--largest-component'));
      expect(largest.components).toHaveLength(1);
      const size = graph.components[0]!.length;
      expect(graph.components.filter((nodes) => nodes.length === size)).toContainEqual(largest.components[0]);
    }
  });

  test('a neighbourhood is the ego network of networkx', async () => {
    const db = tempFile('world.db');
    await runSuccessfully(['world', 'create', '--users', '300', '--seed', '6', '--db', db, '--quiet']);
    const all = await exportGraph(db, 'mentions');
    const [account] = Object.keys(readGraph(all).nodes);
    const ego = `
import json, sys, networkx as nx
g = nx.ego_graph(nx.read_gexf(sys.argv[1]), sys.argv[2], radius=int(sys.argv[3]), undirected=True)
print(json.dumps([sorted(g.nodes), sorted(map(' '.join, g.edges))]))`;
    for (const depth of ['1', '2']) {
      const { nodes, edges } = readGraph(
        await exportGraph(db, 'mentions', '--accounts', `id:${account}`, '--depth', depth),
      );
      expect([Object.keys(nodes).toSorted(), edges.map(([a, b]) => `${a} ${b}`).toSorted()]).toEqual(
        runPython(ego, all, account!, depth),
      );
    }
  });
});

/** Both ends of an edge; in order of their text if it has no direction. */
const keyOf = ({ directed }: ReadGraph, a: string, b: string): string =>
  (directed ? [a, b] : [a, b].toSorted()).join(' ');

/** The rules of GEXF 1.2 (https://gexf.net/1.2draft/gexf-12draft-primer.pdf), checked with the parser of Python. */
const CHECK = `
import json, re, sys
import xml.etree.ElementTree as ET
NS = '{http://www.gexf.net/1.2draft}'
TIMES = {'start', 'end', 'startopen', 'endopen'}
ALLOWED = {  # element: (parents, required attributes, other attributes)
  'gexf': ({None}, {'version'}, {'variant'}),
  'meta': ({'gexf'}, set(), {'lastmodifieddate'}),
  'creator': ({'meta'}, set(), set()), 'description': ({'meta'}, set(), set()),
  'graph': ({'gexf'}, set(), {'timeformat', 'defaultedgetype', 'idtype', 'mode'} | TIMES),
  'attributes': ({'graph'}, {'class'}, {'mode'} | TIMES),
  'attribute': ({'attributes'}, {'id', 'title', 'type'}, set()),
  'nodes': ({'graph'}, set(), {'count'}), 'edges': ({'graph'}, set(), {'count'}),
  'node': ({'nodes'}, {'id'}, {'label', 'pid'} | TIMES),
  'edge': ({'edges'}, {'id', 'source', 'target'}, {'type', 'label', 'weight'} | TIMES),
  'attvalues': ({'node', 'edge'}, set(), set()),
  'attvalue': ({'attvalues'}, {'for', 'value'}, TIMES),
  'spells': ({'node', 'edge'}, set(), set()), 'spell': ({'spells'}, set(), TIMES),
}
VALUES = {'long': r'-?\\d+', 'integer': r'-?\\d+', 'double': r'-?\\d+(\\.\\d+)?', 'boolean': 'true|false', 'string': '(?s:.*)'}
TIME = re.compile(r'\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z')
problems, stack, types, ids = [], [], {}, {'node': set(), 'edge': set()}
def complain(*words): problems.append(' '.join(map(str, words)))
for event, element in ET.iterparse(sys.argv[1], events=('start', 'end')):
  if event == 'end':
    stack.pop()
    continue
  name = element.tag.replace(NS, '')
  parent = stack[-1] if stack else None
  stack.append(name)
  if name not in ALLOWED:
    complain('unknown element', element.tag)
    continue
  parents, required, other = ALLOWED[name]
  given = set(element.attrib)
  if parent not in parents: complain(name, 'in', parent)
  if required - given or given - required - other: complain(name, sorted(given))
  for time in TIMES & given:
    if not TIME.fullmatch(element.get(time)): complain(name, time, element.get(time))
  if name == 'attributes': kind = element.get('class')
  if name == 'attribute': types[kind, element.get('id')] = element.get('type')
  if name in ids:
    if element.get('id') in ids[name]: complain('twice:', name, element.get('id'))
    ids[name].add(element.get('id'))
    if 'start' in given and 'end' in given and element.get('start') > element.get('end'): complain('ends before it starts', element.attrib)
  if name == 'edge' and not {element.get('source'), element.get('target')} <= ids['node']: complain('edge of an unknown node', element.attrib)
  if name == 'attvalue':
    type = types.get((stack[-3], element.get('for')))
    if type is None or not re.fullmatch(VALUES[type], element.get('value')): complain('value', type, element.attrib)
print(json.dumps({'problems': problems, 'nodes': len(ids['node']), 'edges': len(ids['edge'])}))`;

test.runIf(isInstalled('python3-networkx'))('a file has the structure that GEXF 1.2 defines', async () => {
  const db = tempFile('world.db');
  await runSuccessfully(['world', 'create', '--users', '100', '--seed', '3', '--db', db, '--quiet']);
  for (const network of ['follows', 'replies', 'mentions', 'cohashtags', 'colinks'])
    expect(runPython(CHECK, await exportGraph(db, network))).toMatchObject({ problems: [] });
  const hostile = await exportGraph(storeOf(), 'follows', '--since', '2001-01-01');
  expect(runPython(CHECK, hostile)).toEqual({ problems: [], nodes: HOSTILE.length, edges: HOSTILE.length });
});
