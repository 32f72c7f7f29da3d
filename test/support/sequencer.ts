import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Simulations never wait, and tests of processes wait most: they share the processors well if both run first. */
const FIRST = [/\/test\/sim\/(simulation|crash-points)\./, /\/test\/e2e\//];

/** Runs the files that match {@link FIRST} first, in its order. */
export class SimulationsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number =>
      [...FIRST, /./].findIndex((pattern) => pattern.test(moduleId));
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
