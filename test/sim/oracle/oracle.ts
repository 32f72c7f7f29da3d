import { createHash } from 'node:crypto';
import type Database from 'better-sqlite3';
import type { Failure, Run } from '../run.ts';
import { checkAbsences } from './absences.ts';
import { checkAccount } from './account.ts';
import { checkBudgets } from './budgets.ts';
import { checkCompleteness } from './completeness.ts';
import { checkCoverage } from './coverage.ts';
import { checkDisks } from './disks.ts';
import { checkEdges } from './edges.ts';
import { checkEndings } from './endings.ts';
import { gatherEvidence } from './evidence.ts';
import { checkHistory } from './history.ts';
import { checkJobs } from './jobs.ts';
import { checkLimits } from './limits.ts';
import { checkOutages } from './outages.ts';
import { checkRefusals } from './refusals.ts';
import { checkRows } from './rows.ts';
import { checkSearched } from './searched.ts';
import { checkSegments } from './segments.ts';
import { checkSources } from './sources.ts';

/** Returns all broken invariants of a run, by the service's log and the ground truth. */
export function judgeRun(run: Run, db: Database.Database): Failure[] {
  const evidence = gatherEvidence(run, db);
  const checks = [
    checkAccount,
    checkBudgets,
    checkRows,
    checkHistory,
    checkEdges,
    checkAbsences,
    checkEndings,
    checkCoverage,
    checkSegments,
    checkSearched,
    checkJobs,
    checkLimits,
    checkOutages,
    checkRefusals,
    checkDisks,
    checkCompleteness,
    checkSources,
  ];
  for (const check of checks) check(evidence);
  for (const orphan of evidence.db.pragma('foreign_key_check') as object[])
    evidence.fail('foreign keys', `a row names a row that is missing: ${JSON.stringify(orphan)}`);
  return evidence.found;
}

/** A digest of the store and all requests; the same seed gives the same digest. */
export function digestOf(run: Run, db: Database.Database): string {
  const hash = createHash('sha256');
  const tables = db
    .prepare<[], string>(
      `select name from pragma_table_list where type = 'table' and schema = 'main' and name not like '%fts%'
        and name not in ('_settings', '__drizzle_migrations', 'sqlite_schema', 'sqlite_sequence') order by name`,
    )
    .pluck()
    .all();
  for (const table of tables) {
    hash.update(table);
    for (const row of db.prepare(`select * from ${table}`).raw().all()) hash.update(JSON.stringify(row));
  }
  for (const entry of run.log) hash.update(JSON.stringify(entry));
  return hash.digest('hex');
}
