import { defineConfig } from 'oxlint';

/** Plain data that the store takes and returns. Rooms that know no SQLite import nothing else of the store. */
const STORE_MESSAGES = ['commit-messages', 'job-messages', 'query-results'].map((name) => `store/schema/${name}.ts`);

/** Where the pages of a crawl are requested, decided and committed: these know neither SQLite nor BullMQ. */
const PAGE_ROOMS = ['page', 'slice', 'gates', 'pagination', 'search'].map((name) => `crawl/${name}`);

/**
 * Room -> what it may import besides itself and `base`: folders, or single files. The last row that fits a file decides.
 * CONTRIBUTING.md describes the rooms; test/layers.slow.test.ts plants violations to prove that it bites. Types count as
 * imports.
 */
const ROOMS = {
  base: [],
  'service/contract': [],
  'service/client': ['service/contract'],
  'service/quota': [],
  'service/kinds': ['service/contract', 'service/quota/priorities.ts'],
  store: ['service/contract', 'service/kinds', 'service/quota/priorities.ts'],
  'store/normalise': ['service/contract', 'store/schema/normalised-rows.ts'],
  ...Object.fromEntries(
    PAGE_ROOMS.map((room) => [
      room,
      [...PAGE_ROOMS, 'service', 'store/normalise', 'store/staging/staging-messages.ts', ...STORE_MESSAGES],
    ]),
  ),
  'crawl/planning': ['service/kinds', ...PAGE_ROOMS, 'store/schema/planning-facts.ts', ...STORE_MESSAGES],
  'crawl/jobs': ['service/kinds', 'service/quota/priorities.ts', ...STORE_MESSAGES],
  'crawl/queue': [
    ...['service/quota', 'service/kinds', 'crawl/jobs', ...PAGE_ROOMS],
    ...['store/sqlite/driver.ts', 'store/sqlite/file-lock.ts', ...STORE_MESSAGES],
  ],
  analysis: ['service/kinds', 'service/contract/documented-fields.ts', 'store', 'crawl/gates/describe-holds.ts'],
  'analysis/crawls': [
    ...['analysis', 'service/kinds', 'store', 'crawl/gates/describe-holds.ts', 'crawl/queue/soft-locks.ts'],
    ...['crawl/search/window-crawl.ts', 'crawl/slice/resume.ts'],
  ],
  'analysis/jobs': ['analysis', 'store', 'crawl/jobs'],
  'analysis/status': [
    ...['analysis', 'service/kinds', 'service/quota', 'store', 'crawl/gates', 'crawl/jobs'],
    ...['crawl/queue/queue-snapshot.ts', 'crawl/queue/soft-locks.ts'],
  ],
  'analysis/find': ['store'],
  files: ['analysis', 'store', 'service/kinds'],
  'files/report': ['files', 'analysis', 'store', 'service/kinds', 'crawl/jobs'],
  'files/chart': ['analysis/queries/chart-spec.ts'],
  'files/s3': [],
  lake: ['store', 'files/s3', 'service/kinds', 'service/contract'],
  twin: ['service/contract', 'store', 'analysis/find'],
  'twin/world': ['store'],
  'twin/faults': ['service/contract'],
  ops: ['service', 'crawl/jobs', 'store', 'analysis'],
  'ops/alerts': [
    ...['service/quota', 'crawl/gates', 'crawl/jobs', 'analysis/disk-answer.ts', 'analysis/ship-lag.ts'],
    'analysis/jobs/job-conditions.ts',
    ...STORE_MESSAGES,
  ],
  'ops/monitoring': ['service', ...PAGE_ROOMS, 'analysis/ship-lag.ts', ...STORE_MESSAGES],
  'dashboard/server': [
    ...['service/kinds', 'service/quota', 'crawl/jobs', 'store', 'analysis', 'files', 'ops/doctor'],
    ...['crawl/gates/describe-holds.ts', 'crawl/page/crawl-handles.ts', 'crawl/slice/resume.ts'],
    ...['crawl/queue/queue-snapshot.ts', 'crawl/queue/soft-locks.ts', 'crawl/gates/time-remaining.ts'],
  ],
  // The front end runs in a browser: it shares only types and texts with the server.
  'dashboard/web': ['dashboard/server/api'],
};
const ALL = ['service', 'store', 'crawl', 'analysis', 'files', 'lake', 'twin', 'ops', 'dashboard/server'];

/** Rooms above the others: they may import all of them, the composition and the configuration. */
const UPPER_ROOMS = {
  library: [...ALL, 'composition.ts', 'config.ts'],
  'library/run': [...ALL, 'composition.ts', 'config.ts'],
  cli: [...ALL, 'library/run', 'composition.ts', 'config.ts'],
};

/** A library that only these rooms may know. */
const OWNED = {
  bullmq: ['crawl/queue'],
  aws4fetch: ['files/s3'],
  pg: ['files'],
  'pg-copy-streams': ['files'],
  fastify: ['twin', 'dashboard/server'],
  cookie: ['dashboard/server'],
  preact: ['dashboard/web'],
  '@preact/signals': ['dashboard/web'],
  sigma: ['dashboard/web'],
  graphology: ['dashboard/web'],
  'graphology-communities-louvain': ['dashboard/web'],
  'graphology-layout-forceatlas2': ['dashboard/web'],
  undici: ['service/client', 'ops/alerts'],
  'prom-client': ['ops/monitoring', 'twin'],
  '@observablehq/plot': ['files/chart'],
  'd3-scale': ['files/chart'],
  'd3-time': ['files/chart'],
  'd3-time-format': ['files/chart'],
  linkedom: ['files/chart'],
};

/** Only store/sqlite/driver.ts loads SQLite (decision 35). Types are free. */
const DRIVERS = {
  group: ['better-sqlite3', 'better-sqlite3-13', 'drizzle-orm/better-sqlite3', 'drizzle-orm/better-sqlite3/driver'],
  allowTypeImports: true,
  message: 'Use openConnection (store/sqlite/driver.ts) and createDrizzle (store/sqlite/drizzle.ts).',
};

/** Rooms that compute and do nothing else. */
const PURE = ['service/contract', 'store/normalise'];
const INPUT_OUTPUT = ['fs', 'fs/promises', 'net', 'http', 'https', 'tls', 'dgram', 'child_process', 'worker_threads'];

/** What a browser can load of `base`. */
const BROWSER_BASE = ['base/text.ts', 'base/units.ts'];

/** The public types import each other by relative paths, since their declarations are published: by room. */
const PUBLIC_TYPES = {
  library: ['../analysis/**'],
  analysis: ['../../base/time-ranges.ts', '../answer.ts'],
  'analysis/status': ['../answer.ts'],
};

/** The patterns of `no-restricted-imports` that leave a room only what the table allows. */
function forbidden(room, allowed) {
  const granted = [...(room === 'dashboard/web' ? BROWSER_BASE : ['base']), ...allowed, room];
  const others = Object.keys(OWNED).filter((library) => !OWNED[library].includes(room));
  return [
    {
      group: [...['\\#*.ts', '\\#*/**'], ...granted.map((path) => `!#${path}${path.endsWith('.ts') ? '' : '/**'}`)],
      message: `${room} may import only: ${granted.join(', ')}.`,
    },
    {
      group: ['../**', ...(PUBLIC_TYPES[room] ?? []).map((path) => `!${path}`)],
      message: 'Import other folders from the root of src, such as #store/store.ts.',
    },
    DRIVERS,
    {
      group: others.flatMap((library) => [library, `${library}/*`]),
      message: `This library is for other rooms: ${others.map((name) => `${name} is for ${OWNED[name].join(', ')}`).join('; ')}.`,
    },
    ...(PURE.includes(room)
      ? [{ group: INPUT_OUTPUT.map((name) => `node:${name}`), message: `${room} does no input or output.` }]
      : []),
  ];
}

/** The same for a file beside the rooms. */
const forbiddenInRoot = (name, allowed) => {
  const granted = ['base', ...allowed];
  return [
    {
      group: ['./**', ...granted.map((path) => `!./${path}${path.endsWith('.ts') ? '' : '/**'}`)],
      message: `${name} may import only: ${granted.join(', ')}.`,
    },
    DRIVERS,
  ];
};

const restrict = (files, patterns) => ({ files, rules: { 'no-restricted-imports': ['error', { patterns }] } });

export default defineConfig({
  plugins: ['typescript', 'import', 'unicorn', 'oxc', 'promise', 'node', 'vitest'],
  categories: { correctness: 'error' },
  rules: {
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    'typescript/only-throw-error': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-explicit-any': 'error',
    'import/no-cycle': 'error',
    'import/no-default-export': 'error',
    'node/no-process-env': 'error',
    'no-console': 'error',
    // `then` is an option of crawls, not a function.
    'unicorn/no-thenable': 'off',
    // What factories return knows no `this`: its functions may be taken out of it.
    'typescript/unbound-method': 'off',
    // The second argument is what a failure says.
    'vitest/valid-expect': ['error', { maxArgs: 2 }],
    eqeqeq: ['error', 'always', { null: 'ignore' }],
    'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
  },
  overrides: [
    { files: ['src/**'], rules: { 'import/no-cycle': ['error', { ignoreTypes: false }] } },
    { files: ['src/config.ts'], rules: { 'node/no-process-env': 'off' } },
    { files: ['*.config.*'], rules: { 'import/no-default-export': 'off' } },
    // The schema is one table of tables.
    { files: ['test/**', 'src/store/schema/tables.ts'], rules: { 'max-lines': 'off' } },
    restrict(['test/**/*.ts', 'bench/**/*.ts', 'scripts/**/*.ts'], [DRIVERS]),
    restrict(
      ['src/config.ts'],
      forbiddenInRoot('config', [
        ...['service/quota/quota-policy.ts', 'service/quota/priorities.ts', 'crawl/jobs/notify.ts'],
        'store/sqlite/disk-space.ts',
      ]),
    ),
    restrict(
      ['src/index.ts'],
      forbiddenInRoot('index', [
        ...['library', 'analysis/answer.ts', 'analysis/coverage/coverage-model.ts'],
        'analysis/status/status-model.ts',
      ]),
    ),
    restrict(['src/composition.ts'], forbiddenInRoot('composition', [...ALL, 'config.ts'])),
    ...Object.entries({ ...ROOMS, ...UPPER_ROOMS }).map(([room, allowed]) =>
      restrict([`src/${room}/**/*.{ts,tsx}`], forbidden(room, allowed)),
    ),
  ],
});
