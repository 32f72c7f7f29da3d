import { rmSync } from 'node:fs';
import { openLakeBatch } from '../lake/lake-batch.ts';
import { createLakeContent } from '../lake/lake-content.ts';
import { SEAL_AGE_MS } from '../lake/lake-target.ts';
import type { TargetAccess, TargetKind } from '../targets/fact-target.ts';
import { openBucket } from './bucket.ts';
import { parseS3Address } from './s3-address.ts';
import {
  checkAccess,
  createS3Storage,
  openS3Place,
  readS3Record,
  readS3Records,
  removeUnsealedObjects,
} from './s3-lake.ts';
import { findInS3 } from './s3-views.ts';

/** A lake in S3-compatible object storage as a target: its files are written locally, and uploaded when they are sealed. */

const open = ({ address, variables }: TargetAccess) => openBucket(parseS3Address(address), variables);

export const S3_LAKE: TargetKind = {
  async prepare(access) {
    await checkAccess(open(access));
  },

  async open(access, store, scratch) {
    const bucket = open(access);
    rmSync(scratch, { recursive: true, force: true });
    await removeUnsealedObjects(bucket, store);
    const storage = createS3Storage(bucket, scratch);
    return {
      sealAgeMs: SEAL_AGE_MS,
      readShipped: () => readS3Record(bucket, store),
      openBatch: async (first, day) => openLakeBatch({ storage, store, first, day }),
      async [Symbol.asyncDispose]() {
        rmSync(scratch, { recursive: true, force: true });
      },
    };
  },

  readStores: (access) => readS3Records(open(access)),

  findFacts: findInS3,

  async openContent(access) {
    const bucket = open(access);
    return createLakeContent(openS3Place(bucket), await readS3Records(bucket));
  },
};
