import { type ClickHouse, createClickHouseEngine, type Layout, LAYOUTS } from './clickhouse-engine.ts';
import type { FleetEngine } from './fleet-engine.ts';

/** The longest that a server keeps the settings of a session between two statements. */
const SESSION_SECONDS = '3600';

/** Connects to servers by HTTP. Statements are sent to the first one. */
function connectToServers(urls: readonly string[], session: string): ClickHouse {
  async function runAt(url: string, statement: string, format: string): Promise<string> {
    const query = new URLSearchParams({
      session_id: session,
      session_timeout: SESSION_SECONDS,
      default_format: format,
      wait_end_of_query: '1',
    });
    const response = await fetch(`${url}/?${query.toString()}`, { method: 'POST', body: statement });
    const text = await response.text();
    if (!response.ok) throw new Error(`${url}: ${text.trim()}\n${statement.slice(0, 2000)}`);
    return text;
  }
  return {
    run: (statement, format = 'CSV') => runAt(urls[0]!, statement, format),
    async runOnEach(statement) {
      for (const url of urls) await runAt(url, statement, 'CSV');
    },
    async [Symbol.asyncDispose]() {},
  };
}

/**
 * Opens the fact tables and views on the servers of a cluster, in databases of this process.
 * @param urls the addresses of all shards
 */
export async function openClickHouseServers(
  urls: readonly string[],
  layout: Layout = LAYOUTS.sharded,
): Promise<FleetEngine> {
  const schema = `trawl_${process.pid}`;
  return await createClickHouseEngine(connectToServers(urls, schema), layout, schema);
}
