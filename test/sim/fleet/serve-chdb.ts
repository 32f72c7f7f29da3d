import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { openChdb } from './clickhouse.ts';

/** Answers HTTP requests as a server of ClickHouse does, by chdb, and prints its address. Argument: a file with the configuration. */
const clickHouse = await openChdb(process.argv[2]);
const server = createServer((request, response) => {
  const format = new URL(request.url!, 'http://127.0.0.1').searchParams.get('default_format') ?? undefined;
  text(request)
    .then((statement) => clickHouse.run(statement, format))
    .then(
      (result) => response.end(result),
      (error: Error) => response.writeHead(500).end(error.message),
    );
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
