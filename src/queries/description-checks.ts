import { Compile } from 'typebox/compile';
import type { FileProblem, PositionFinder } from '../yaml-file.ts';
import { EXPECTED_VALUES, KEYS, querySchema } from './query-schema.ts';

type Content = Readonly<Record<string, unknown>>;

const check = Compile(querySchema);

/** Finds the parts of a description that do not match the schema, in their order in the file. */
export function findDescriptionProblems(content: Content, locate: PositionFinder): FileProblem[] {
  // Listing errors takes longer than finding that there are none.
  if (check.Check(content)) return [];
  const problems = check.Errors(content).flatMap((error): FileProblem[] => {
    const path = error.instancePath.split('/').slice(1);
    // The parts of a union are reported beside it.
    if (/\/(anyOf|oneOf)\//.test(error.schemaPath) || error.keyword === 'boolean') return [];
    if (error.keyword === 'additionalProperties') {
      const known = (KEYS[path[0] ?? ''] ?? []).join(', ');
      return error.params.additionalProperties.map((key) => ({
        ...locate([...path, key], 'key'),
        message: `unknown key "${key}"; there are ${known}`,
      }));
    }
    if (error.keyword === 'required') {
      return error.params.requiredProperties.map((key) => ({
        ...locate(path),
        message: `${key} is missing: ${EXPECTED_VALUES[key] ?? 'a text'}`,
      }));
    }
    const key = nameOf(path);
    const value = path.reduce<unknown>((within, part) => (within as Content | undefined)?.[part], content);
    return [
      {
        ...locate(path),
        message: `${key} should be ${EXPECTED_VALUES[key] ?? 'a text'}; not ${JSON.stringify(value)}`,
      },
    ];
  });
  return problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
}

/** The key that a path ends with. In maps of names of your own, it is the key of the map. */
function nameOf(path: readonly string[]): string {
  const [first, second] = path;
  if (first === 'example' || (first === 'parameters' && path.length === 2)) return first;
  if (first === 'needs' && path.length === 2 && second !== undefined) return first;
  return path.findLast((part) => !/^\d+$/.test(part)) ?? '';
}
