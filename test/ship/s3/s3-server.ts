import { mkdirSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openBucket } from '#files/s3/bucket.ts';
import { parseS3Address } from '#files/s3/s3-settings.ts';
import { loadEngine } from '../../support/engines.ts';
import { tempDir } from '../../support/temp.ts';

/** The part of the package `@20minutes/s3rver` that the tests use. It has no types of its own. */
interface S3rver {
  readonly httpServer: Server;
  run(): Promise<unknown>;
  close(): Promise<void>;
}
type S3rverClass = new (options: {
  readonly address: string;
  readonly port: number;
  readonly directory: string;
  readonly silent: boolean;
  readonly configureBuckets: readonly { readonly name: string; readonly configs: readonly string[] }[];
}) => S3rver;

/** The only key that the server knows. */
const KEYS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER', AWS_REGION: 'us-east-1' };

/** An S3 server with the bucket `lake`, which ends with the test. */
export interface S3Server {
  /** The variables of its clients. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends it, with its connections. */
  stop(): Promise<void>;
  /** Starts it again with the same objects, at the same address. */
  start(): Promise<void>;
}

export async function startS3Server(): Promise<S3Server> {
  const S3rver = loadEngine('@20minutes/s3rver') as S3rverClass;
  const directory = tempDir();
  let port = 0;
  let server: S3rver;
  async function start(): Promise<void> {
    server = new S3rver({
      address: '127.0.0.1',
      port,
      directory,
      silent: true,
      configureBuckets: [
        {
          name: 'lake',
          configs: [],
        },
      ],
    });
    ({ port } = (await server.run()) as AddressInfo);
  }
  const stop = async (): Promise<void> => {
    const closed = server.close();
    server.httpServer.closeAllConnections();
    await closed;
  };
  await start();
  onTestFinished(stop);
  return { env: { ...KEYS, AWS_ENDPOINT_URL: `http://127.0.0.1:${port}` }, start, stop };
}

/** Downloads a lake, without what is not sealed, into a folder, which is returned. */
export async function downloadLake(address: string, env: S3Server['env']): Promise<string> {
  const bucket = openBucket(parseS3Address(address), env);
  const folder = tempDir();
  const folders = ['_stores', 'facts'];
  for (const key of (await Promise.all(folders.map(bucket.list))).flat()) {
    const file = join(folder, key);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, (await bucket.read(key))!);
  }
  return folder;
}
