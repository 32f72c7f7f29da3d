import { UsageError } from '../../errors.ts';
import { formatPostgresAddress, POSTGRES_EXAMPLE } from '../postgres/postgres-address.ts';
import { formatS3Address } from '../s3/s3-address.ts';
import type { Engine } from '../views/dialect.ts';
import type { TargetKind } from './fact-target.ts';

/** A row of the table of target kinds. */
interface TargetKindRow {
  /** The scheme of its addresses, without a colon; undefined for paths. */
  readonly scheme: RegExp | undefined;
  /** An address for messages. */
  readonly example: string;
  /** The engines that read its facts; the first is the default. */
  readonly engines: readonly [Engine, ...Engine[]];
  /** What stays where it is when a target is removed. */
  readonly remains: string;
  /** Returns an address as it is stored: complete, in one form, and without secrets. @throws UsageError */
  readonly parse: (text: string) => string;
  /** Loads the code of the kind, with its client. */
  readonly load: () => Promise<TargetKind>;
}

const LAKE_ENGINES = ['duckdb', 'clickhouse'] as const;

const TARGET_KINDS: readonly TargetKindRow[] = [
  {
    scheme: undefined,
    example: './lake',
    engines: LAKE_ENGINES,
    remains: 'its files stay',
    parse: (path) => path,
    load: async () => (await import('../lake/lake-target.ts')).LAKE,
  },
  {
    scheme: /^postgres(ql)?$/i,
    example: POSTGRES_EXAMPLE,
    engines: ['postgres'],
    remains: 'its tables stay',
    parse: formatPostgresAddress,
    load: async () => (await import('../postgres/postgres-target.ts')).POSTGRES,
  },
  {
    scheme: /^s3$/i,
    example: 's3://bucket/prefix',
    engines: LAKE_ENGINES,
    remains: 'its objects stay',
    parse: formatS3Address,
    load: async () => (await import('../s3/s3-target.ts')).S3_LAKE,
  },
];

/** Addresses of all kinds, for messages and help. */
export const TARGET_EXAMPLES = TARGET_KINDS.map(({ example }) => example);

const readScheme = (address: string): string | undefined => /^([a-z][a-z\d+.-]*):\/\//i.exec(address)?.[1];

/** Whether an address is a path of this machine. */
export const isFolderAddress = (address: string): boolean => readScheme(address) === undefined;

/** Returns the row of an address. @throws UsageError for an unknown scheme */
export function findTargetKind(address: string): TargetKindRow {
  const scheme = readScheme(address);
  const row = TARGET_KINDS.find((each) => (scheme === undefined ? !each.scheme : each.scheme?.test(scheme)));
  // The rest of an address may have a password.
  if (!row)
    throw new UsageError(`there are no targets with ${scheme}://`, { hint: `Targets: ${TARGET_EXAMPLES.join(', ')}.` });
  return row;
}

/** Loads the kind of an address. @throws UsageError for an unknown scheme */
export const loadTargetKind = (address: string): Promise<TargetKind> => findTargetKind(address).load();
