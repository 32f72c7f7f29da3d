import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Other tools that store the same pages; see README.md. */

export interface Peer {
  readonly name: string;
  readonly what: string;
  /** trawl's throughput over the peer's: the required ratio and the goal. Absent if there is none. */
  readonly bar?: number;
  readonly want?: number;
  /** Measured in quick runs, too. */
  readonly quick?: true;
  /** Whether its requirements are installed. */
  available(): boolean;
  /** Started with `--url --key --db --targets a,b,c --chains n`, it prints its result as one line of JSON. */
  readonly command: readonly string[];
}

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Only Debian's Python finds Debian's packages. */
const DEBIAN_PYTHON = '/usr/bin/python3';
const PYTHON = existsSync(DEBIAN_PYTHON) ? DEBIAN_PYTHON : 'python3';

/** A Node script, and the package of `bench/peers` that it needs. */
function node(needs: string, script: string, ...options: string[]): Pick<Peer, 'available' | 'command'> {
  const packages = [needs, 'better-sqlite3'].map((name) => file(`node_modules/${name}/package.json`));
  return {
    available: () => packages.every((path) => existsSync(path)),
    command: [process.execPath, file(script), ...options],
  };
}

/** A Python script, and the modules that it imports. */
function python(needs: readonly string[], script: string): Pick<Peer, 'available' | 'command'> {
  return {
    available: () => spawnSync(PYTHON, ['-c', `import ${needs.join(', ')}`]).status === 0,
    // -B avoids compiled files here.
    command: [PYTHON, '-B', file(script)],
  };
}

export const peers: readonly Peer[] = [
  {
    name: 'crawlee-http',
    what: 'Crawlee HttpCrawler, its request queue on disk as it comes',
    bar: 8,
    want: 12,
    ...node('@crawlee/http', 'crawlee-http.js'),
  },
  {
    name: 'crawlee-http-memory',
    what: 'Crawlee HttpCrawler, its request queue in memory',
    bar: 5.5,
    want: 7,
    quick: true,
    ...node('@crawlee/http', 'crawlee-http.js', '--queue', 'memory'),
  },
  {
    name: 'crawlee-basic-undici',
    what: 'Crawlee BasicCrawler with undici, its request queue in memory',
    ...node('@crawlee/basic', 'crawlee-basic.js'),
  },
  {
    name: 'scrapy',
    what: 'Scrapy, an item per page, stored with executemany',
    bar: 7.5,
    want: 10,
    ...python(['scrapy'], 'scrapy_peer.py'),
  },
  {
    name: 'requests-sqlite-utils',
    what: "requests and sqlite-utils' upsert_all, as twitter-to-sqlite does it",
    bar: 7,
    want: 9,
    quick: true,
    ...python(['requests', 'sqlite_utils'], 'requests_sqlite_utils.py'),
  },
  {
    name: 'requests-sqlite3',
    what: "requests and sqlite3's executemany",
    ...python(['requests'], 'requests_sqlite3.py'),
  },
];
