import { Counter, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

/** The quota of an API key, which is identified by its name. */
export interface QuotaGauge {
  readonly id: number;
  readonly name: string;
  readonly limit: number;
  readonly remaining: number;
}

/** Upper bounds of the buckets, in seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Creates the metrics of a twin, in Prometheus' text format. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'trawl_twin_requests_total',
    help: 'Answered requests.',
    labelNames: ['endpoint', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'trawl_twin_request_seconds',
    help: 'Seconds from request to response.',
    labelNames: ['endpoint'],
    buckets: BUCKETS,
    registers,
  });
  const keyGauge = (name: string, help: string) => new Gauge({ name, help, labelNames: ['key', 'id'], registers });
  const limits = keyGauge('trawl_twin_quota_limit', 'Requests per window, by key.');
  const remainders = keyGauge('trawl_twin_quota_remaining', 'Requests left now, by key.');

  return {
    contentType: registry.contentType,
    recordResponse(endpoint: string, status: number, seconds: number): void {
      requests.inc({ endpoint, status });
      durations.observe({ endpoint }, seconds);
    },
    /** Returns the text, with the gauges of these quotas. */
    render(quotas: readonly QuotaGauge[]): Promise<string> {
      for (const gauge of [limits, remainders]) gauge.reset();
      for (const { id, name: key, limit, remaining } of quotas) {
        limits.set({ key, id }, limit);
        remainders.set({ key, id }, remaining);
      }
      return registry.metrics();
    },
  };
}
