import { parseArgs } from 'node:util';
import { openStore } from './store.js';

/** What the peers of Node have in common: their arguments, the service's pages, the clock and the line at the end. */

const PATH = '/api/microblog/followers';

/** The address of a page of a list, without the service's. The first page has no cursor. */
export function pathOf(target, cursor) {
  const query = new URLSearchParams({ restId: target, ...(cursor === undefined ? {} : { cursor }) });
  return `${PATH}?${query.toString()}`;
}

/** Takes a page apart: whose list it is, who is on it, and the cursor of the next page; undefined at the end. */
export function readPage({ data }) {
  const { instructions } = data.followers.timeline;
  const users = instructions.flatMap(({ entries = [] }) => entries.map(({ content }) => content.user));
  const cursor = instructions.findLast((instruction) => instruction.cursor?.value)?.cursor.value;
  return { owner: data.user, users: users.filter(Boolean), cursor };
}

/**
 * Runs a peer. `crawl` is called with the warm-up lists, if there are any, and then with those of the measurement, and
 * with `store(target, body, json)`, which stores a page and returns the next cursor. The clock runs from the start of the
 * second `crawl`, when the tables are there, to its last commit.
 */
export async function runPeer(crawl, moreOptions = {}) {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      key: { type: 'string' },
      db: { type: 'string' },
      targets: { type: 'string' },
      warm: { type: 'string', default: '' },
      chains: { type: 'string', default: '1' },
      ...moreOptions,
    },
  });
  const [warm, targets] = [values.warm, values.targets].map((list) => list.split(',').filter(Boolean));
  const store = openStore(values.db);
  let pages = 0;
  let wallMs = 0;
  let cpu = { user: 0, system: 0 };

  for (const lists of [warm, targets].filter(({ length }) => length > 0)) {
    pages = 0;
    const cpuBefore = process.cpuUsage();
    const startedAt = performance.now();
    await crawl({
      ...values,
      targets: lists,
      chains: Number(values.chains),
      store(target, body, json) {
        const page = readPage(json);
        store.page(target, body, page);
        pages++;
        // Looking at the clocks costs something too: only where a list ends.
        if (page.cursor === undefined) {
          wallMs = performance.now() - startedAt;
          cpu = process.cpuUsage(cpuBefore);
        }
        return page.cursor;
      },
    });
  }

  const { ended, ...counts } = store.count();
  store.close();
  const lists = warm.length + targets.length;
  if (ended !== lists) throw new Error(`${ended} of ${lists} lists came to their end`);
  const line = { ...counts, pages, wallMs, cpuMs: (cpu.user + cpu.system) / 1000 };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
