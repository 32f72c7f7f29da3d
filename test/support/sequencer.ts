import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Runs the simulations first: they take longest, and unlike other slow tests they never wait. */
export class SimulationsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSimulation = ({ moduleId }: TestSpecification): boolean => /\/test\/sim\/.*\.slow\./.test(moduleId);
    const sorted = await super.sort(files);
    return [...sorted.filter(isSimulation), ...sorted.filter((file) => !isSimulation(file))];
  }
}
