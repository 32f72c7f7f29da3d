import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../../base/clock.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { Problem } from '../problems.ts';
import type { KeyQuota } from '../quota/key-quota.ts';
import { listActiveKeys } from '../quota/twin-keys.ts';
import type { Metrics } from './metrics.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route needs no key; its name in the log. */
    readonly publicName?: string;
  }
}

export const HEALTH_PATH = '/healthz';
export const METRICS_PATH = '/metrics';

/** Registers the endpoints for operators, which need no key: health and metrics. */
export function registerHealthRoutes(
  app: FastifyInstance,
  options: { readonly db: Db; readonly metrics: Metrics; readonly quota: KeyQuota; readonly clock: Clock },
): void {
  const { db, metrics, quota, clock } = options;
  const probe = db.$client.prepare('select 1 from users limit 1');

  app.get(HEALTH_PATH, { config: { publicName: 'healthz' }, exposeHeadRoute: true }, (_request, reply) => {
    try {
      probe.get();
    } catch {
      throw new Problem(503, 'The store cannot be read.', { 'retry-after': '1' });
    }
    void reply.send({ status: 'ok' });
  });

  app.get(METRICS_PATH, { config: { publicName: 'metrics' }, exposeHeadRoute: true }, async (_request, reply) => {
    const now = clock.now();
    const quotas = listActiveKeys(db).map((key) => ({ ...key, remaining: quota.usage(key, now).remaining }));
    return reply.type(metrics.contentType).send(await metrics.render(quotas));
  });
}
