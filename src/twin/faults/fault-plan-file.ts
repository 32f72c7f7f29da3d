import { readFileSync } from 'node:fs';
import { describeError, UsageError } from '#base/errors.ts';
import { locateProblems } from '#base/schema-check.ts';
import { parseYaml, formatProblem } from '#base/yaml-file.ts';
import { type FaultPlan, findPlanErrors } from './fault-table.ts';

/**
 * Parses a plan; `file` is its name in messages. Pure.
 * @throws UsageError with the position of every error and how to correct it
 */
export function readFaultPlan(text: string, file: string): FaultPlan {
  const { content, problem, locate } = parseYaml(text);
  const errors = problem ? [problem] : locateProblems(findPlanErrors(content), locate);
  if (errors.length === 0) return content as FaultPlan;
  throw new UsageError(
    [
      `${errors.length === 1 ? 'an error' : `${errors.length} errors`} in the fault plan`,
      ...errors.map(({ message, ...at }) => formatProblem(file, at, message)),
    ].join('\n  '),
  );
}

/** @throws UsageError */
export function loadFaultPlan(file: string): FaultPlan {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read the fault plan ${file}: ${describeError(error)}`, {
      hint: 'The directory faults/ has plans to copy.',
    });
  }
  return readFaultPlan(text, file);
}
