import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { openConnection } from '#store/sqlite/driver.ts';
import { findRedisServer } from './processes.ts';

/** Describes the machine of the measurement. */
export function describeMachine(): Record<string, string | number> {
  const db = openConnection(':memory:');
  const sqlite = String(db.prepare('select sqlite_version()').pluck().get());
  db.close();
  return {
    cpu: `${cpus()[0]?.model.trim() ?? 'unknown'}, ${availableParallelism()} to use`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GB`,
    system: `${type()} ${release()}`,
    node: process.version,
    sqlite,
    redis: redisVersion(),
  };
}

function redisVersion(): string {
  const program = findRedisServer();
  if (program === undefined) return 'built-in, within the measured process; no redis-server is installed';
  return /v=(\S+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))?.[1] ?? program;
}
