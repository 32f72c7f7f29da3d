import type Database from 'better-sqlite3';
import type { Db } from '#store/sqlite/database.ts';

/** Removed bodies, and their bytes as stored. */
export interface RemovedBodies {
  readonly bodies: number;
  readonly bytes: number;
}

/** The bodies of a step: `from` and `to` are its first and last. */
interface StepBodies {
  readonly stepId: number | undefined;
  readonly from: number;
  readonly to: number;
}

/** Prepares finding the step of a body, with its other bodies. */
export function prepareStepBodies(client: Database.Database): (id: number) => StepBodies {
  const find = client.prepare<[number], { stepId: number; from: number; to: number }>(
    `select id as stepId, first_raw_page_id as [from], first_raw_page_id + length(response_roles) - 1 as [to] from _steps
     where first_raw_page_id is not null and first_raw_page_id <= ? order by first_raw_page_id desc limit 1`,
  );
  return (id) => {
    const step = find.get(id);
    return step !== undefined && id <= step.to ? step : { stepId: undefined, from: id, to: id };
  };
}

/**
 * Prepares the removal of bodies, inside the caller's transaction: those with these ids, and the others of their steps, since a
 * rebuild replays a step as a whole. The steps are marked as `pruned`, and no longer name a body, so that no later body is
 * taken for one of theirs.
 */
export function prepareBodyRemoval({ $client }: Db): (ids: readonly number[]) => RemovedBodies {
  const bodiesOfStep = prepareStepBodies($client);
  const markStep = $client.prepare("update _steps set first_raw_page_id = null, withheld = 'pruned' where id = ?");
  const measure = $client
    .prepare<[number, number], number | null>('select sum(length(body)) from raw_pages where id between ? and ?')
    .pluck();
  const others = [
    'delete from _raw_page_times where raw_page_id between ? and ?',
    "update rejects set raw_page_id = null, sample = '(pruned)' where raw_page_id between ? and ?",
  ].map((sql) => $client.prepare(sql));
  const remove = $client.prepare('delete from raw_pages where id between ? and ?');

  return (ids) => {
    let [bodies, bytes] = [0, 0];
    for (const id of ids) {
      const { stepId, from, to } = bodiesOfStep(id);
      bytes += measure.get(from, to) ?? 0;
      if (stepId !== undefined) markStep.run(stepId);
      for (const statement of others) statement.run(from, to);
      bodies += remove.run(from, to).changes;
    }
    return { bodies, bytes };
  };
}
