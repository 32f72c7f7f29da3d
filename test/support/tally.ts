import type { Reporter, TestModule } from 'vitest/node';
import { listMissing } from './programs.ts';

/**
 * Ends a run with one line for machines: `123 passed, 0 failed`. A file that could not be loaded and an error outside
 * of any test count as failed, so the line never looks better than the run was. Before it, a line says how many tests were
 * skipped, and which programs are not installed.
 */
export function tally(): Reporter {
  return {
    onTestRunEnd(modules, errors) {
      const tests = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
      const passed = tests.filter((state) => state === 'passed').length;
      const failed =
        tests.filter((state) => state === 'failed').length + modules.filter(isBroken).length + errors.length;
      const skipped = tests.filter((state) => state === 'skipped').length;
      const missing = skipped > 0 ? listMissing() : [];
      if (skipped > 0)
        process.stdout.write(
          `${skipped} skipped${missing.length > 0 ? `; not installed: ${missing.join(', ')} (npm run test:all needs them)` : ''}\n`,
        );
      process.stdout.write(`${passed} passed, ${failed} failed\n`);
    },
  };
}

/** Whether the file or a hook of it failed rather than a test in it. */
function isBroken(module: TestModule): boolean {
  const suites = [...module.children.allSuites()];
  return module.errors().length > 0 || suites.some((suite) => suite.errors().length > 0);
}
