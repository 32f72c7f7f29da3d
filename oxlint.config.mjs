import { defineConfig } from 'oxlint';

/** What every layer may import. */
const CORE = [
  'errors.ts',
  'clock.ts',
  'package-root.ts',
  'log.ts',
  'disposable-stack.ts',
  'text.ts',
  'units.ts',
  'seeded-random.ts',
  'yaml-file.ts',
  'abortable-wait.ts',
  'raw-bodies.ts',
  'listen.ts',
  'event-channel.ts',
  'batches.ts',
  'time-ranges.ts',
  'temporary-files.ts',
  'is-running.ts',
  'redis-client.ts',
];

/** Of these, what a browser can load. */
const BROWSER_CORE = ['text.ts', 'units.ts'];

/** Plain data that the store takes and returns. Layers that know no SQLite import nothing else of the store. */
const STORE_MESSAGES = ['store/schema/messages.ts', 'store/schema/query-results.ts'];

/**
 * Layer -> what it may import besides core: a layer, or single files of one. CONTRIBUTING.md describes
 * the layers; test/layers.slow.test.ts plants violations to prove that it bites. Types count as imports.
 */
const LAYERS = {
  contract: [],
  client: ['contract'],
  normalise: ['contract', 'store/schema/rows.ts'],
  quota: [],
  kinds: ['contract', 'service/quota/priorities.ts'],
  store: ['kinds', 'service/quota/priorities.ts', 'store/outbox/fact-tables.ts'],
  staging: ['contract', 'normalise', 'store'],
  engine: ['contract', 'client', 'normalise', 'quota', 'kinds', 'store/staging/messages.ts', ...STORE_MESSAGES],
  planning: ['kinds', 'engine', ...STORE_MESSAGES, 'store/schema/planning-facts.ts'],
  jobs: ['kinds', 'service/quota/priorities.ts', ...STORE_MESSAGES],
  queue: ['quota', 'kinds', 'engine', 'jobs', ...STORE_MESSAGES, 'store/sqlite/driver.ts'],
  alerts: [
    ...[
      'jobs',
      'quota',
      'analysis/ship-lag.ts',
      'crawl/gates/holds.ts',
      'crawl/gates/outage/circuit.ts',
      'crawl/gates/outage/disk-guard.ts',
    ],
    ...STORE_MESSAGES,
  ],
  monitoring: ['client', 'engine', 'quota', 'analysis/ship-lag.ts', ...STORE_MESSAGES],
  faults: ['contract'],
  search: ['store'],
  twin: ['contract', 'store', 'search', 'faults'],
  rebuild: ['contract', 'normalise', 'kinds', 'store'],
  retention: ['contract', 'normalise', 'kinds', 'store', 'jobs', 'rebuild'],
  analysis: ['kinds', 'store', 'search', 'crawl/gates/holds.ts'],
  doctor: ['contract', 'kinds', 'jobs', 'store', 'analysis'],
  chart: [],
  queries: ['kinds', 'store', 'analysis', 'chart'],
  export: ['store', 'analysis', 'chart'],
  report: ['jobs', 'store', 'analysis', 'queries', 'chart', 'export'],
  ship: [
    'store',
    'store/sqlite/file-lock.ts',
    ...['byte-writer', 'encodings', 'zstd'].map((name) => `export/formats/parquet/${name}.ts`),
  ],
  world: ['store'],
  dashboard: [
    ...['kinds', 'jobs', 'quota', 'store', 'analysis', 'queries', 'search', 'chart', 'export', 'doctor'],
    ...[
      'ops/alerts/job-conditions.ts',
      'crawl/page/crawl-handles.ts',
      'crawl/gates/holds.ts',
      'crawl/slice/resume.ts',
      'crawl/queue/queue-snapshot.ts',
      'crawl/queue/soft-locks.ts',
    ],
  ],
  // The front end runs in a browser: it shares only types and texts with the server.
  web: ['dashboard/api/*.ts'],
};
const MODULES = Object.keys(LAYERS).filter((layer) => layer !== 'web');

/** Layers above the modules: they may import all modules, the composition and the configuration. */
const UPPER_LAYERS = {
  run: MODULES,
  library: [...MODULES, 'run'],
  cli: [...MODULES, 'run'],
};
const ALL = [...Object.keys(LAYERS), ...Object.keys(UPPER_LAYERS)];

/** A library that only these layers may know. */
const OWNED = {
  bullmq: ['queue'],
  aws4fetch: ['ship'],
  fastify: ['twin', 'dashboard'],
  cookie: ['dashboard'],
  preact: ['web'],
  '@preact/signals': ['web'],
  sigma: ['web'],
  graphology: ['web'],
  'graphology-communities-louvain': ['web'],
  'graphology-layout-forceatlas2': ['web'],
  undici: ['client', 'alerts'],
  'prom-client': ['monitoring', 'twin'],
  '@observablehq/plot': ['chart'],
  'd3-scale': ['chart'],
  'd3-time': ['chart'],
  'd3-time-format': ['chart'],
  linkedom: ['chart'],
};

/** Only store/sqlite/driver.ts loads SQLite (decision 35). Types are free. */
const DRIVERS = {
  group: ['better-sqlite3', 'better-sqlite3-13', 'drizzle-orm/better-sqlite3', 'drizzle-orm/better-sqlite3/driver'],
  allowTypeImports: true,
  message: 'Use openConnection (store/sqlite/driver.ts) and createDrizzle (store/sqlite/drizzle.ts).',
};

/** Layers that compute and do nothing else. */
const PURE = ['contract', 'normalise'];
const INPUT_OUTPUT = ['fs', 'fs/promises', 'net', 'http', 'https', 'tls', 'dgram', 'child_process', 'worker_threads'];

/** The patterns of `no-restricted-imports` that leave a layer only what the table allows, in files so many folders below src. */
function forbidden(layer, allowed, depth) {
  const src = depth === 0 ? './' : '../'.repeat(depth);
  const others = ALL.filter((other) => other !== layer && !allowed.includes(other));
  const files = allowed.filter((name) => name.endsWith('.ts')).map((file) => `!${src}${file}`);
  const roots = [...Object.keys(UPPER_LAYERS), 'composition'].includes(layer)
    ? []
    : [`${src}config.ts`, `${src}composition.ts`];
  const core =
    layer === 'web' ? CORE.filter((file) => !BROWSER_CORE.includes(file)).map((file) => `${src}${file}`) : [];
  const libraries = Object.keys(OWNED).filter((library) => !OWNED[library].includes(layer));
  return [
    {
      group: [...others.map((other) => `${src}${other}/**`), ...core, ...files, ...roots],
      message: `${layer} may import only: ${[...(layer === 'web' ? BROWSER_CORE : ['core']), ...allowed].join(', ')}.`,
    },
    DRIVERS,
    {
      group: libraries.flatMap((library) => [library, `${library}/*`]),
      message: `This library is for other layers: ${libraries.map((name) => `${name} is for ${OWNED[name].join(', ')}`).join('; ')}.`,
    },
    ...(PURE.includes(layer)
      ? [{ group: INPUT_OUTPUT.map((name) => `node:${name}`), message: `${layer} does no input or output.` }]
      : []),
  ];
}

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
    // What factories return knows no `this`: its functions may be taken out of it.
    'typescript/unbound-method': 'off',
    // The second argument is what a failure says.
    'vitest/valid-expect': ['error', { maxArgs: 2 }],
    eqeqeq: ['error', 'always', { null: 'ignore' }],
    'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
  },
  overrides: [
    { files: ['src/config.ts'], rules: { 'node/no-process-env': 'off' } },
    { files: ['*.config.*'], rules: { 'import/no-default-export': 'off' } },
    // The schema is one table of tables.
    { files: ['test/**', 'src/store/schema/tables.ts'], rules: { 'max-lines': 'off' } },
    restrict(['test/**/*.ts', 'bench/**/*.ts', 'scripts/**/*.ts'], [DRIVERS]),
    restrict(
      CORE.map((file) => `src/${file}`),
      forbidden('core', [], 0),
    ),
    restrict(
      ['src/config.ts'],
      forbidden(
        'config',
        [
          'service/quota/policy.ts',
          'service/quota/priorities.ts',
          'store/sqlite/disk-space.ts',
          'crawl/jobs/notify.ts',
        ],
        0,
      ),
    ),
    restrict(['src/index.ts'], forbidden('index', ['library', 'kinds', 'service/quota/priorities.ts'], 0)),
    restrict(['src/composition.ts'], forbidden('composition', MODULES, 0)),
    ...Object.entries({ ...LAYERS, ...UPPER_LAYERS }).flatMap(([layer, allowed]) =>
      [1, 2, 3].map((depth) =>
        restrict([`src/${layer}/${'*/'.repeat(depth - 1)}*.{ts,tsx}`], forbidden(layer, allowed, depth)),
      ),
    ),
  ],
});
