import type { FastifyInstance } from 'fastify';
import type { Db } from '../../../store/sqlite/database.ts';
import { Problem } from '../problems.ts';

export const HEALTH_PATH = '/healthz';

/** Registers the health check, which needs no key. */
export function registerHealthRoute(app: FastifyInstance, db: Db): void {
  const probe = db.$client.prepare('select 1 from users limit 1');
  app.get(HEALTH_PATH, { exposeHeadRoute: true }, (_request, reply) => {
    try {
      probe.get();
    } catch {
      throw new Problem(503, 'The store cannot be read.', { 'retry-after': '1' });
    }
    void reply.send({ status: 'ok' });
  });
}
