import type { Reporter, TestModule } from 'vitest/node';

/**
 * Ends a run with one line for machines: `123 passed, 0 failed`. A file that could not be loaded and an error outside
 * of any test count as failed, so the line never looks better than the run was.
 */
export function tally(): Reporter {
  return {
    onTestRunEnd(modules, errors) {
      const tests = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
      const passed = tests.filter((state) => state === 'passed').length;
      const failed =
        tests.filter((state) => state === 'failed').length + modules.filter(isBroken).length + errors.length;
      process.stdout.write(`${passed} passed, ${failed} failed\n`);
    },
  };
}

/** Whether the file or a hook of it failed rather than a test in it. */
function isBroken(module: TestModule): boolean {
  const suites = [...module.children.allSuites()];
  return module.errors().length > 0 || suites.some((suite) => suite.errors().length > 0);
}
