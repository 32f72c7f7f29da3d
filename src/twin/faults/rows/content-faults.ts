import Type from 'typebox';
import type { SeededRandom } from '#base/seeded-random.ts';
import type { JsonObject } from '#service/contract/json-body.ts';
import { integer } from '#twin/faults/definition/fault-options.ts';
import type { FaultPage } from '#twin/faults/definition/fault-page.ts';
import {
  encodeAnswer,
  type FaultAnswer,
  ENDPOINT_NAMES,
  atEndpoints,
  defineFault,
  type FaultContext,
} from '#twin/faults/definition/fault-row.ts';

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
const fieldOptions = {
  share,
  fields: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      description: 'a list of fields, such as [text, author]; one of them is changed (default: any but id and rest_id)',
    }),
  ),
};

/** Changes some items; at least one. */
const changeItems =
  (change: (item: JsonObject, random: SeededRandom) => void) =>
  (page: FaultPage, { random, options }: FaultContext<{ share: number }>): boolean => {
    const items = chooseItems(page.subjects, options.share, random);
    for (const item of items) change(item, random);
    return items.length > 0;
  };

/** Changes one field of some items. */
const changeFields =
  (change: (item: JsonObject, field: string, random: SeededRandom) => void) =>
  (page: FaultPage, { random, options }: FaultContext<{ share: number; fields?: string[] }>): boolean => {
    let hasChanged = false;
    for (const item of chooseItems(page.subjects, options.share, random)) {
      const fields = Object.keys(item).filter((key) => !IDENTITY_FIELDS.includes(key));
      const eligible = options.fields?.filter((field) => field in item) ?? fields;
      if (eligible.length === 0) continue;
      change(item, random.pick(eligible), random);
      hasChanged = true;
    }
    return hasChanged;
  };

function chooseItems(items: readonly JsonObject[], probability: number, random: SeededRandom): readonly JsonObject[] {
  const chosen = items.filter(() => random.chance(probability));
  return chosen.length > 0 || items.length === 0 ? chosen : [random.pick(items)];
}

/** Returns values of other types. */
const otherTypes = (value: unknown): readonly unknown[] =>
  ['text', 17, true, [], {}, ['text'], { value: 1 }].filter((other) => typeof other !== typeof value);

/** Returns a response with bytes inserted into its encoded body. */
const insertBytes = (answer: FaultAnswer, body: Buffer, at: number, bytes: Buffer): FaultAnswer => ({
  ...answer,
  body: Buffer.concat([body.subarray(0, at), bytes, body.subarray(at)]),
});

const fieldRows = atEndpoints(CONTENT_ENDPOINTS, {
  'null-fields': defineFault({
    description: 'Fields are null.',
    outcome: 'altered',
    options: fieldOptions,
    changePage: changeFields((item, field) => void (item[field] = null)),
  }),
  'missing-fields': defineFault({
    description: 'Fields are absent.',
    outcome: 'altered',
    options: fieldOptions,
    changePage: changeFields((item, field) => void delete item[field]),
  }),
  'wrong-types': defineFault({
    description: 'Fields have another type: text for a number, an object for text.',
    outcome: 'altered',
    options: fieldOptions,
    changePage: changeFields((item, field, random) => void (item[field] = random.pick(otherTypes(item[field])))),
  }),
  'unknown-fields': defineFault({
    description: 'Items have undocumented fields.',
    outcome: 'same',
    options: { share },
    changePage: changeItems((item, random) => {
      item[`x_field_${random.integerBelow(5)}`] = random.pick([1, 'text', null, { nested: [true] }]);
    }),
  }),
  'lone-surrogates': defineFault({
    description: 'Texts end in half a character of UTF-16.',
    outcome: 'altered',
    options: { share },
    changePage: changeItems((item) => {
      const field = ['text', 'description', 'name'].find((key) => typeof item[key] === 'string');
      if (field !== undefined) item[field] = `${String(item[field])}\ud83d`;
    }),
  }),
});

export const contentRows = {
  ...fieldRows,
  'deep-nesting': defineFault({
    description: 'An unknown field of `data` is nested deeply.',
    outcome: 'stopped',
    options: { depth: integer([1, 5_000_000], 100_000, 'the number of nested arrays, from 1 to 5000000') },
    changeAnswer(answer, { options: { depth } }) {
      const body = encodeAnswer(answer);
      const nested = `"nested":${'['.repeat(depth)}${']'.repeat(depth)},`;
      return insertBytes(answer, body, body.indexOf('{', 1) + 1, Buffer.from(nested));
    },
  }),
  'huge-page': defineFault({
    description: 'The body is very large: spaces follow the JSON.',
    outcome: 'stopped',
    options: { bytes: integer([1, 500_000_000], 40_000_000, 'the size of the body, from 1 to 500000000 bytes') },
    changeAnswer(answer, { options: { bytes } }) {
      const body = encodeAnswer(answer);
      return insertBytes(answer, body, body.length, Buffer.alloc(Math.max(0, bytes - body.length), ' '));
    },
  }),
  'invalid-utf8': defineFault({
    description: 'A text in the body is not UTF-8.',
    outcome: 'same',
    changeAnswer(answer) {
      const body = encodeAnswer(answer);
      const prefix = ['"text":"', '"description":"', '"name":"', '":"'].find((text) => body.includes(text)) ?? '{';
      return insertBytes(answer, body, body.indexOf(prefix) + prefix.length, Buffer.from([0xc3, 0x28, 0xff]));
    },
  }),
};
