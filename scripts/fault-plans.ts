import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { conditionProperties } from '#twin/faults/definition/fault-row.ts';
import { planSchema, FAULT_NAMES, faultTable } from '#twin/faults/fault-table.ts';

/** Writes faults/plan.schema.json, for editors, and docs/reference/faults.md, both from the table of faults. */

const root = resolve(import.meta.dirname, '..');
export const SCHEMA_FILE = join(root, 'faults', 'plan.schema.json');
export const PAGE = join(root, 'docs/reference/faults.md');

/** The schema of plans as plain JSON, with shared definitions. */
export function publishedSchema(): unknown {
  const { items, ...plan } = planSchema;
  const shared = Object.keys(conditionProperties).map((key) => [key, { $ref: `#/$defs/${key}` }]);
  const rules = items.anyOf.map((rule) => ({
    ...rule,
    properties: { ...rule.properties, ...Object.fromEntries(shared) },
  }));
  const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...plan, items: { anyOf: rules } };
  return JSON.parse(JSON.stringify({ ...schema, $defs: conditionProperties }));
}

const HEADER = `# Faults of the twin

Generated from \`src/twin/faults/\` by \`npm run faults:docs\`: edit that, not this page. [Fault plans](../faults.md) describes the
rules, and the columns *costs* and *rows*. Several faults may apply to one request, in the order of this table.
`;

/** Returns the page with the table of faults. */
export function renderFaults(): string {
  const rows = FAULT_NAMES.map((name) => {
    const { description, outcome, options, costs = true } = faultTable[name];
    const own = Object.entries(options).map(([key, part]) => {
      const { default: given } = part as { default?: unknown };
      return given === undefined ? `\`${key}\`` : `\`${key}: ${JSON.stringify(given).replaceAll('"', '')}\``;
    });
    return `| \`${name}\` | ${description} | ${costs ? 'yes' : 'no'} | ${outcome} | ${own.join(', ')} |`;
  });
  return [
    HEADER,
    '| fault | what happens | costs | rows | options, with their defaults |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(SCHEMA_FILE, `${JSON.stringify(publishedSchema(), null, 2)}\n`);
  writeFileSync(PAGE, renderFaults());
}
