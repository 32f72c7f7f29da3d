import Type from 'typebox';
import type { JsonObject } from '../../contract/json.ts';
import type { SeededRandom } from '../../seeded-random.ts';
import { ENDPOINT_NAMES } from '../condition.ts';
import { encodeAnswer } from '../fault-answer.ts';
import type { FaultPage } from '../fault-page.ts';
import { defineFault, type FaultContext } from '../fault-row.ts';

/** Values that violate the interface, and bodies that are hard to parse. */

const CONTENT_ENDPOINTS = ENDPOINT_NAMES.filter((name) => name !== 'token-info');
/** The identity of an item; changed only if a rule names it. */
const IDENTITY_FIELDS = ['id', 'rest_id'];

const share = Type.Number({
  minimum: 0,
  maximum: 1,
  default: 0.2,
  description: "the share of a page's items to change, from 0 to 1; at least one item",
});
const fieldOptions = Type.Object({
  share,
  fields: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      description: 'a list of fields, such as [text, author]; one of them is changed (default: any but id and rest_id)',
    }),
  ),
});
type FieldFaultContext = FaultContext<{ share: number; fields?: string[] }>;

/** Changes one field of some items. */
const changeFields =
  (change: (item: JsonObject, field: string, random: SeededRandom) => void) =>
  (page: FaultPage, { random, options }: FieldFaultContext): boolean => {
    const eligibleFields = ({ fields }: FieldFaultContext['options'], item: JsonObject): string[] =>
      fields
        ? fields.filter((field) => field in item)
        : Object.keys(item).filter((key) => !IDENTITY_FIELDS.includes(key));
    const items = chooseItems(page.subjects, options.share, random).map((item) => ({
      item,
      fields: eligibleFields(options, item),
    }));
    for (const { item, fields } of items) if (fields.length > 0) change(item, random.pick(fields), random);
    return items.some(({ fields }) => fields.length > 0);
  };

function chooseItems(
  items: readonly JsonObject[],
  eligibleFields: number,
  random: SeededRandom,
): readonly JsonObject[] {
  const chosen = items.filter(() => random.chance(eligibleFields));
  return chosen.length > 0 || items.length === 0 ? chosen : [random.pick(items)];
}

/** Returns values of other types. */
const otherTypes = (value: unknown): readonly unknown[] =>
  ['text', 17, true, [], {}, ['text'], { value: 1 }].filter((other) => typeof other !== typeof value);

/** Inserts bytes into an encoded body. */
const insertBytes = (body: Buffer, at: number, bytes: Buffer): Buffer =>
  Buffer.concat([body.subarray(0, at), bytes, body.subarray(at)]);

export const contentRows = {
  'null-fields': defineFault({
    description: 'Fields are null.',
    outcome: 'altered',
    endpoints: CONTENT_ENDPOINTS,
    options: fieldOptions,
    changePage: changeFields((item, field) => void (item[field] = null)),
  }),
  'missing-fields': defineFault({
    description: 'Fields are absent.',
    outcome: 'altered',
    endpoints: CONTENT_ENDPOINTS,
    options: fieldOptions,
    changePage: changeFields((item, field) => void delete item[field]),
  }),
  'wrong-types': defineFault({
    description: 'Fields have another type: text for a number, an object for text.',
    outcome: 'altered',
    endpoints: CONTENT_ENDPOINTS,
    options: fieldOptions,
    changePage: changeFields((item, field, random) => void (item[field] = random.pick(otherTypes(item[field])))),
  }),
  'unknown-fields': defineFault({
    description: 'Items have undocumented fields.',
    outcome: 'same',
    endpoints: CONTENT_ENDPOINTS,
    options: Type.Object({ share }),
    changePage(page, { random, options }) {
      const items = chooseItems(page.subjects, options.share, random);
      for (const item of items)
        item[`x_field_${random.integerBelow(5)}`] = random.pick([1, 'text', null, { nested: [true] }]);
      return items.length > 0;
    },
  }),
  'lone-surrogates': defineFault({
    description: 'Texts end in half a character of UTF-16.',
    outcome: 'altered',
    endpoints: CONTENT_ENDPOINTS,
    options: Type.Object({ share }),
    changePage(page, { random, options }) {
      const items = chooseItems(page.subjects, options.share, random);
      for (const item of items) {
        const field = ['text', 'description', 'name'].find((key) => typeof item[key] === 'string');
        if (field !== undefined) item[field] = `${String(item[field])}\ud83d`;
      }
      return items.length > 0;
    },
  }),
  'deep-nesting': defineFault({
    description: 'An unknown field of `data` is nested deeply.',
    outcome: 'stopped',
    options: Type.Object({
      depth: Type.Integer({
        minimum: 1,
        maximum: 5_000_000,
        default: 100_000,
        description: 'the number of nested arrays, from 1 to 5000000',
      }),
    }),
    changeAnswer(answer, { options: { depth } }) {
      const body = encodeAnswer(answer);
      const nested = `"nested":${'['.repeat(depth)}${']'.repeat(depth)},`;
      return { ...answer, body: insertBytes(body, body.indexOf('{', 1) + 1, Buffer.from(nested)) };
    },
  }),
  'huge-page': defineFault({
    description: 'The body is very large: spaces follow the JSON.',
    outcome: 'stopped',
    options: Type.Object({
      bytes: Type.Integer({
        minimum: 1,
        maximum: 500_000_000,
        default: 40_000_000,
        description: 'the size of the body, from 1 to 500000000 bytes',
      }),
    }),
    changeAnswer(answer, { options }) {
      const body = encodeAnswer(answer);
      return {
        ...answer,
        body: insertBytes(body, body.length, Buffer.alloc(Math.max(0, options.bytes - body.length), ' ')),
      };
    },
  }),
  'invalid-utf8': defineFault({
    description: 'A text in the body is not UTF-8.',
    outcome: 'same',
    options: Type.Object({}),
    changeAnswer(answer) {
      const body = encodeAnswer(answer);
      const prefix = ['"text":"', '"description":"', '"name":"', '":"'].find((text) => body.includes(text)) ?? '{';
      return {
        ...answer,
        body: insertBytes(body, body.indexOf(prefix) + prefix.length, Buffer.from([0xc3, 0x28, 0xff])),
      };
    },
  }),
};
