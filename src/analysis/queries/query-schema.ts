import Type, { type Static } from 'typebox';
import { createSchemaCheck } from '../../base/schema-check.ts';
import type { DocumentPath } from '../../base/yaml-file.ts';
import { KIND_NAMES } from '../../service/kinds/kinds.ts';
import { MARKS, PERIODS } from './chart-spec.ts';
import { NEEDED_ITEMS, PARAMETER_TYPES } from './saved-query.ts';

/** The schema of the description of a saved query: the YAML in the comment at the start of its file. */

const closed = { additionalProperties: false } as const;

const line = Type.String({ minLength: 1, maxLength: 120, pattern: '^[^\\n]*$' });
const text = Type.String({ minLength: 1 });
/** YAML reads more digits than a number holds. */
const integer = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });
const value = Type.Union([Type.String(), integer]);

const parameter = Type.Object(
  {
    type: Type.Enum([...PARAMETER_TYPES]),
    description: text,
    default: Type.Optional(Type.Union([Type.String(), integer, Type.Null()])),
    min: Type.Optional(integer),
    max: Type.Optional(integer),
    values: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1, uniqueItems: true })),
  },
  closed,
);

const need = Type.Object(
  {
    kind: Type.Optional(
      Type.Union([Type.Enum(KIND_NAMES), Type.Array(Type.Enum(KIND_NAMES), { minItems: 1, uniqueItems: true })]),
    ),
    items: Type.Optional(Type.Enum([...NEEDED_ITEMS])),
    of: Type.Optional(Type.String()),
    lists: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
  },
  closed,
);

const chart = Type.Object(
  {
    mark: Type.Enum([...MARKS]),
    x: text,
    y: text,
    series: Type.Optional(text),
    value: Type.Optional(text),
    period: Type.Optional(Type.Enum([...PERIODS])),
    partial: Type.Optional(text),
    title: Type.Optional(text),
    xLabel: Type.Optional(text),
    yLabel: Type.Optional(text),
  },
  closed,
);

const querySchema = Type.Object(
  {
    title: line,
    topic: line,
    description: text,
    parameters: Type.Optional(Type.Record(Type.String(), parameter)),
    needs: Type.Optional(Type.Array(need)),
    chart: Type.Optional(chart),
    example: Type.Optional(Type.Record(Type.String(), value)),
  },
  closed,
);

/** The content of a valid description. */
export type QueryDocument = Static<typeof querySchema>;

/** The valid values of each key, for messages. */
const EXPECTED_VALUES: Readonly<Record<string, string>> = {
  title: 'a question of one line, at most 120 characters',
  topic: 'a heading of one line, such as People',
  description: 'a text',
  xLabel: 'a text',
  yLabel: 'a text',
  parameters: 'a map of parameters by name: lower-case letters, digits and _',
  needs: 'a list of maps, each with kind: or items:',
  chart: 'a map with mark, x and y',
  example: 'a map of texts and whole numbers by parameter (write ids in quotes)',
  type: `one of ${PARAMETER_TYPES.join(', ')}`,
  default: 'a text, a whole number or null',
  min: 'a whole number',
  max: 'a whole number',
  values: 'a list of texts',
  kind: `one of ${KIND_NAMES.join(', ')}, or a list of them`,
  items: `one of ${NEEDED_ITEMS.join(', ')}`,
  of: 'the name of a parameter',
  lists: 'a whole number from 0 to 100',
  mark: `one of ${MARKS.join(', ')}`,
  period: `one of ${PERIODS.join(', ')}`,
  ...Object.fromEntries(
    ['x', 'y', 'series', 'value', 'partial'].map((key) => [key, 'the name of a column of the result']),
  ),
};

/** Finds the parts of a description that do not match the schema. */
export const findDescriptionProblems = createSchemaCheck(querySchema, { expected: EXPECTED_VALUES, nameOf });

/** The key that a path ends with. In maps of names of your own, it is the key of the map. */
function nameOf(path: DocumentPath): string {
  const [first, second] = path;
  if (first === 'example' || (first === 'parameters' && path.length === 2)) return first;
  if (first === 'needs' && path.length === 2 && second !== undefined) return first;
  return path.findLast((part) => !/^\d+$/.test(part)) ?? '';
}
