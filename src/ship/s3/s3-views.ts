import { FACT_TABLE_NAMES } from '../facts/fact-tables.ts';
import type { TargetAccess } from '../targets/fact-target.ts';
import type { Engine } from '../views/dialect.ts';
import { findInLake } from '../views/fact-places.ts';
import type { FactPlace } from '../views/views.ts';
import { openBucket } from './bucket.ts';
import { formatS3Address, parseS3Address } from './s3-address.ts';
import { readS3Settings } from './s3-settings.ts';

/** Returns a lake in object storage as an engine reads it; undefined if nothing was shipped there. @throws TrawlError */
export async function findInS3({ address, variables }: TargetAccess, engine: Engine): Promise<FactPlace | undefined> {
  const place = parseS3Address(address);
  const bucket = openBucket(place, variables);
  const tables = new Set<string>();
  for (const table of FACT_TABLE_NAMES)
    for await (const _ of bucket.list(`${table}/`)) {
      tables.add(table);
      break;
    }
  if (tables.size === 0) return undefined;
  // ClickHouse takes the address of the service.
  const { url } = readS3Settings(place, variables);
  const root = engine === 'clickhouse' ? `${url}/${place.prefix}` : formatS3Address(address);
  return findInLake(engine, { root: root.replace(/\/$/, ''), tables });
}
