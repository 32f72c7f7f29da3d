import * as resources from '../../contract/resources.ts';

type Json = Readonly<Record<string, unknown>>;

/** Names of the contract's resources by their JSON. */
const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(resources).flatMap(([name, schema]) =>
    typeof schema === 'function' ? [] : [[JSON.stringify(schema), name] as const],
  ),
);

/** Collects the schemas of a document. `refer` returns a schema as plain JSON, with references to resources. */
export function createComponents() {
  const schemas: Record<string, Json> = {};

  const replaceChildren = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(refer);
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, refer(child)]));
  };
  const refer = (value: unknown): unknown => {
    const name = typeof value === 'object' ? NAMES.get(JSON.stringify(value)) : undefined;
    if (name === undefined) return replaceChildren(value);
    schemas[name] ??= replaceChildren(value) as Json;
    return { $ref: `#/components/schemas/${name}` };
  };
  return { schemas, refer: (schema: object) => refer(schema) as Json };
}
