import { tempDir } from '../support/temp.ts';
import { startS3Server } from './s3/s3-server.ts';

/** A target that was started for a test, and the variables of the environment that it needs. */
interface StartedTarget {
  readonly address: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Each kind of lake, in words, and how to start one. */
export const TARGETS: readonly (readonly [kind: string, start: () => Promise<StartedTarget>])[] = [
  ['a folder', async () => ({ address: tempDir(), env: {} })],
  ['object storage', async () => ({ address: 's3://lake/of/all', env: (await startS3Server()).env })],
];
