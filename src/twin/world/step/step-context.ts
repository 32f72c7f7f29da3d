import type { SeededRandom } from '../../../base/seeded-random.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import type { Population } from './population.ts';
import type { ChangeRecorder } from './step-changes.ts';

/** The data that the events of a step read and change. */
export interface StepContext {
  readonly db: Db;
  readonly random: SeededRandom;
  readonly population: Population;
  readonly changes: ChangeRecorder;
  /** The times of the world before and after the step, in milliseconds UTC. */
  readonly from: number;
  readonly to: number;
}
