import { endpointTable } from './endpoints.ts';

/** The part of a JSON schema that holds other schemas. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** The item types whose fields differ between endpoints: also their property in a response. */
const VARYING_TYPES: readonly string[] = ['tweet', 'author'];

/** Whether the spec gives a field, such as `tweet.author`, to the items of an endpoint. */
export function isDocumentedField(endpoint: string, field: string): boolean {
  const [type = '', name = ''] = field.split('.');
  if (!VARYING_TYPES.includes(type) || !Object.hasOwn(endpointTable, endpoint)) return true;
  const { data } = endpointTable[endpoint as keyof typeof endpointTable];
  return findProperties(data as Schema, type).some(({ properties = {} }) => Object.hasOwn(properties, name));
}

/** Finds the schemas of a property at any depth. */
function findProperties({ properties = {}, items, anyOf = [] }: Schema, name: string): Schema[] {
  const inner = [...Object.values(properties), ...(items ? [items] : []), ...anyOf];
  return [...(properties[name] ? [properties[name]] : []), ...inner.flatMap((schema) => findProperties(schema, name))];
}
