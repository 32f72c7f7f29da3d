export type Metrics = ReturnType<typeof createMetrics>;

/** The quota of an API key, which is identified by its name. */
export interface QuotaGauge {
  readonly id: number;
  readonly name: string;
  readonly limit: number;
  readonly remaining: number;
}

/** The content type of the text format. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const PREFIX = 'trawl_twin_';
/** Upper bounds of the buckets, in seconds. */
const BUCKET_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Metrics in Prometheus' text format. A library would add registries, default metrics and global state. */
export function createMetrics() {
  const requests = new Map<string, Map<number, number>>();
  /** Count per bucket, of which the last one is above all bounds. */
  const durations = new Map<string, { counts: number[]; sum: number }>();
  const requestLines = (): string[] =>
    [...requests].flatMap(([endpoint, statuses]) =>
      [...statuses].map(([status, count]) => `${renderLabels({ endpoint, status })} ${count}`),
    );
  const durationLines = (): string[] =>
    [...durations].flatMap(([endpoint, { counts, sum }]) => {
      let cumulative = 0;
      const buckets = counts.map((count, i) => {
        cumulative += count;
        return `_bucket${renderLabels({ endpoint, le: BUCKET_BOUNDS[i] ?? '+Inf' })} ${cumulative}`;
      });
      const labels = renderLabels({ endpoint });
      return [...buckets, `_sum${labels} ${sum}`, `_count${labels} ${cumulative}`];
    });

  return {
    recordResponse(endpoint: string, status: number, seconds: number): void {
      let statuses = requests.get(endpoint);
      if (!statuses) requests.set(endpoint, (statuses = new Map()));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      let histogram = durations.get(endpoint);
      if (!histogram)
        durations.set(endpoint, (histogram = { counts: Array<number>(BUCKET_BOUNDS.length + 1).fill(0), sum: 0 }));
      let i = 0;
      while (i < BUCKET_BOUNDS.length && seconds > BUCKET_BOUNDS[i]!) i += 1;
      histogram.counts[i]! += 1;
      histogram.sum += seconds;
    },
    /** Returns the text, with the current gauges. */
    render(quotas: readonly QuotaGauge[]): string {
      const gaugeLines = (of: 'limit' | 'remaining'): string[] =>
        quotas.map((quota) => `${renderLabels({ key: quota.name, id: quota.id })} ${quota[of]}`);
      const families: readonly Family[] = [
        ['requests_total', 'counter', 'Answered requests.', requestLines()],
        ['request_seconds', 'histogram', 'Seconds from request to response.', durationLines()],
        ['quota_limit', 'gauge', 'Requests per window, by key.', gaugeLines('limit')],
        ['quota_remaining', 'gauge', 'Requests left now, by key.', gaugeLines('remaining')],
      ];
      return families.map(renderFamily).join('');
    },
  };
}

/** Each line is a sample without its metric name. */
type Family = readonly [name: string, type: string, help: string, lines: readonly string[]];

const renderFamily = ([name, type, help, lines]: Family): string =>
  [
    `# HELP ${PREFIX}${name} ${help}`,
    `# TYPE ${PREFIX}${name} ${type}`,
    ...lines.map((line) => PREFIX + name + line),
    '',
  ].join('\n');

const renderLabels = (values: Readonly<Record<string, string | number>>): string =>
  `{${Object.entries(values)
    .map(([name, value]) => `${name}="${escapeLabel(String(value))}"`)
    .join(',')}}`;

const escapeLabel = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
