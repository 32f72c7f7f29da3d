/**
 * Counters in Prometheus' text format. A dozen lines that never change cost nothing per request; a library for it would
 * bring registries, default metrics and a global.
 */
export interface Metrics {
  /** Counts an answer. */
  recordResponse(endpoint: string, status: number, seconds: number): void;
  /** The text, with the gauges as they are now. */
  render(quotas: readonly QuotaGauge[]): string;
}

/** What is left of a key's quota; the key by its name, never itself. */
export interface QuotaGauge {
  readonly id: number;
  readonly name: string;
  readonly limit: number;
  readonly remaining: number;
}

/** The version of the text format. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Upper bounds in seconds: from what memory answers in to what nobody should wait for. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Durations {
  /** How many were within each bound and above the one before; the last are those above all. */
  readonly counts: number[];
  sum: number;
}

export function createMetrics(): Metrics {
  const requests = new Map<string, Map<number, number>>();
  const durations = new Map<string, Durations>();
  return {
    recordResponse(endpoint, status, seconds) {
      let statuses = requests.get(endpoint);
      if (!statuses) requests.set(endpoint, (statuses = new Map()));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      let taken = durations.get(endpoint);
      if (!taken) durations.set(endpoint, (taken = { counts: Array<number>(BOUNDS.length + 1).fill(0), sum: 0 }));
      let i = 0;
      while (i < BOUNDS.length && seconds > BOUNDS[i]!) i += 1;
      taken.counts[i]! += 1;
      taken.sum += seconds;
    },
    render: (quotas) =>
      [
        ...family('trawl_twin_requests_total', 'counter', 'Answered requests.', requestLines(requests)),
        ...family(
          'trawl_twin_request_seconds',
          'histogram',
          'Seconds from request to response.',
          durationLines(durations),
        ),
        ...family('trawl_twin_quota_limit', 'gauge', 'Requests per window, by key.', gaugeLines(quotas, 'limit')),
        ...family('trawl_twin_quota_remaining', 'gauge', 'Requests left now, by key.', gaugeLines(quotas, 'remaining')),
        '',
      ].join('\n'),
  };
}

/** What stands behind a family's name on one line. */
type Line = string;

const family = (name: string, type: string, help: string, lines: readonly Line[]): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
  ...lines.map((line) => `${name}${line}`),
];

const requestLines = (requests: ReadonlyMap<string, ReadonlyMap<number, number>>): Line[] =>
  [...requests].flatMap(([endpoint, statuses]) =>
    [...statuses].map(([status, count]) => `${labels({ endpoint, status })} ${count}`),
  );

const durationLines = (durations: ReadonlyMap<string, Durations>): Line[] =>
  [...durations].flatMap(([endpoint, { counts, sum }]) => {
    let within = 0;
    const buckets = counts.map((count, i) => {
      within += count;
      return `_bucket${labels({ endpoint, le: BOUNDS[i] ?? '+Inf' })} ${within}`;
    });
    return [...buckets, `_sum${labels({ endpoint })} ${sum}`, `_count${labels({ endpoint })} ${within}`];
  });

const gaugeLines = (quotas: readonly QuotaGauge[], of: 'limit' | 'remaining'): Line[] =>
  quotas.map((quota) => `${labels({ key: quota.name, id: quota.id })} ${quota[of]}`);

const labels = (values: Readonly<Record<string, string | number>>): string =>
  `{${Object.entries(values)
    .map(([name, value]) => `${name}="${escaped(String(value))}"`)
    .join(',')}}`;

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
