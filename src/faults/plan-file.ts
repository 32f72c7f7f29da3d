import { readFileSync } from 'node:fs';
import { describeError, UsageError } from '../errors.ts';
import { parseYaml, formatProblem } from '../yaml-file.ts';
import { findPlanErrors } from './plan-checks.ts';
import type { FaultPlan } from './plan.ts';

/**
 * Reads a plan; `file` is what it is called in messages. Pure.
 * @throws UsageError with every mistake: where it stands, and what would be right.
 */
export function readFaultPlan(text: string, file: string): FaultPlan {
  const { content, problem, locate } = parseYaml(text);
  const errors = problem
    ? [problem]
    : findPlanErrors(content)
        .map(({ path, isKey, message }) => ({ ...locate(path, isKey && 'key'), message }))
        .toSorted((a, b) => a.line - b.line || a.column - b.column);
  if (errors.length === 0) return content as FaultPlan;
  throw new UsageError(
    [
      `${errors.length === 1 ? 'a mistake' : `${errors.length} mistakes`} in the fault plan`,
      ...errors.map(({ message, ...at }) => formatProblem(file, at, message)),
    ].join('\n  '),
  );
}

/** @throws UsageError also when the file cannot be read. */
export function loadFaultPlan(file: string): FaultPlan {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read the fault plan ${file}: ${describeError(error)}`, {
      hint: 'Plans to copy are in the folder faults/.',
    });
  }
  return readFaultPlan(text, file);
}
