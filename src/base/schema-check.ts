import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Settings } from 'typebox/system';
import type { DocumentPath, FileProblem, PositionFinder } from './yaml-file.ts';

/** Checks of YAML files by their schemas, with messages for people. */

export interface SchemaProblem {
  readonly path: DocumentPath;
  /** The key is wrong, not its value. */
  readonly isKey?: true;
  readonly message: string;
}

interface SchemaWords {
  /** The valid values of keys; by default, the description in the schema. */
  readonly expected?: Readonly<Record<string, string>>;
  /** Returns the key that a path is about; by default, the last one. */
  readonly nameOf?: (path: DocumentPath) => string;
}

/** Creates a function that returns all parts of a content that do not match a schema. It is compiled at first use. */
export function createSchemaCheck(schema: TSchema, { expected = {}, nameOf = findLastKey }: SchemaWords = {}) {
  let check: ReturnType<typeof Compile> | undefined;
  return (content: unknown): SchemaProblem[] => {
    check ??= Compile(schema);
    // Listing errors takes longer than finding that there are none.
    if (check.Check(content)) return [];
    const reported = new Set<string>();
    return listErrors(check, content).flatMap((error): SchemaProblem[] => {
      const path = error.instancePath.split('/').slice(1);
      // The parts of a union are reported beside it. A choice of keys is for the caller to report.
      const isPart = /\/(anyOf|oneOf)\//.test(error.schemaPath);
      if (isPart || error.keyword === 'boolean' || (path.length === 0 && /^(any|one)Of$/.test(error.keyword)))
        return [];
      const { properties, description } = findPart(schema, path);
      if (error.keyword === 'additionalProperties') {
        const known = Object.keys(properties).join(', ');
        return error.params.additionalProperties.map((key) => ({
          path: [...path, key],
          isKey: true,
          message: `unknown key "${key}"; there are ${known}`,
        }));
      }
      if (error.keyword === 'required') {
        return error.params.requiredProperties.map((key) => ({
          path,
          message: `${key} is missing: ${expected[key] ?? descriptionOf(properties[key]) ?? 'a value'}`,
        }));
      }
      if (reported.has(error.instancePath)) return [];
      reported.add(error.instancePath);
      const value = path.reduce<unknown>((within, step) => (within as Record<string, unknown>)[step], content);
      const found = Array.isArray(value) && value.length === 0 ? 'it is empty' : `not ${JSON.stringify(value)}`;
      const key = nameOf(path);
      return [{ path, message: `${key} should be ${expected[key] ?? description ?? error.message}; ${found}` }];
    });
  };
}

/** Returns problems with their positions in a file, in order. */
export const locateProblems = (problems: readonly SchemaProblem[], locate: PositionFinder): FileProblem[] =>
  problems
    .map(({ path, isKey, message }) => ({ ...locate(path, isKey && 'key'), message }))
    .toSorted((a, b) => a.line - b.line || a.column - b.column);

/** All errors: by default, Typebox returns eight. */
function listErrors(check: ReturnType<typeof Compile>, content: unknown) {
  const { maxErrors } = Settings.Get();
  Settings.Set({ maxErrors: 1000 });
  try {
    return check.Errors(content);
  } finally {
    Settings.Set({ maxErrors });
  }
}

type Parts = Readonly<Record<string, TSchema>>;

const findLastKey = (path: DocumentPath): string => path.findLast((part) => !/^\d+$/.test(part)) ?? '';

const descriptionOf = (schema: TSchema | undefined): string | undefined =>
  (schema as { description?: string } | undefined)?.description;

/** Returns the properties of the schema at a path, and the innermost description on the way. */
function findPart(schema: TSchema, path: DocumentPath): { properties: Parts; description: string | undefined } {
  let part: TSchema | undefined = schema;
  let description: string | undefined;
  for (const step of path) {
    const {
      properties,
      items,
      patternProperties = {},
    } = (part ?? {}) as {
      properties?: Parts;
      items?: TSchema;
      patternProperties?: Parts;
    };
    part = properties?.[step] ?? items ?? Object.values(patternProperties)[0];
    description = descriptionOf(part) ?? description;
  }
  return { properties: (part as { properties?: Parts } | undefined)?.properties ?? {}, description };
}
