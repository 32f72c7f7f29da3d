import Type, { type TObject } from 'typebox';
import { Default } from 'typebox/value';
import { createSchemaCheck, type SchemaProblem } from '#base/schema-check.ts';
import { type FaultRow, conditionProperties, ENDPOINT_NAMES, type FaultCondition } from './definition/fault-row.ts';
import { contentRows } from './rows/content-faults.ts';
import { cursorRows } from './rows/cursor-faults.ts';
import { entryRows } from './rows/entry-faults.ts';
import { statusRows } from './rows/status-faults.ts';
import { tokenInfoRows } from './rows/token-info-faults.ts';
import { transportRows } from './rows/transport-faults.ts';

/**
 * All faults, in the order in which they are applied: content of the page, position in the list, response, transport.
 */
const rows = {
  ...entryRows,
  ...cursorRows,
  ...tokenInfoRows,
  ...contentRows,
  ...statusRows,
  ...transportRows,
};

export type FaultName = keyof typeof rows;

export const faultTable: Readonly<Record<FaultName, FaultRow>> = rows;

export const FAULT_NAMES = Object.keys(rows) as FaultName[];

/** A rule of a plan: a fault, its conditions and its options. */
export interface FaultRule extends FaultCondition {
  readonly fault: FaultName;
  /** Allows a fault that loses data without a trace. */
  readonly lossy?: boolean | undefined;
  readonly [option: string]: unknown;
}

/** Faults of a service and their conditions. Plain data. */
export type FaultPlan = readonly FaultRule[];

type Content = Readonly<Record<string, unknown>>;

const lossy = Type.Optional(
  Type.Boolean({ description: 'true, to allow a fault that loses data without a trace (default: false)' }),
);

/** The schema of a rule by its fault. */
const ruleSchemas = Object.fromEntries(
  FAULT_NAMES.map((name) => [
    name,
    Type.Object(
      {
        fault: Type.Literal(name, { description: faultTable[name].description }),
        ...conditionProperties,
        lossy,
        ...Type.Partial(Type.Object(faultTable[name].options)).properties,
      },
      { additionalProperties: false },
    ),
  ]),
) as unknown as Readonly<Record<FaultName, TObject>>;

const ruleChecks = Object.fromEntries(
  FAULT_NAMES.map((name) => [name, createSchemaCheck(ruleSchemas[name])]),
) as Readonly<Record<FaultName, (rule: unknown) => SchemaProblem[]>>;

/** The JSON schema of plans, for editors. */
export const planSchema = Type.Array(Type.Union(Object.values(ruleSchemas)), {
  title: 'A fault plan of trawl twin serve',
});

/** Returns all errors of a plan. Pure. */
export function findPlanErrors(plan: unknown): SchemaProblem[] {
  if (!Array.isArray(plan)) return [{ path: [], message: 'a fault plan is a list of rules such as - fault: html' }];
  return plan.flatMap((rule, i) =>
    findRuleErrors(rule).map((error) => ({ ...error, path: [String(i), ...error.path] })),
  );
}

/** Returns the options of a rule with defaults. */
export const readFaultOptions = (rule: FaultRule, { options }: FaultRow): Content => {
  const own = Object.entries(rule).filter(([key]) => Object.hasOwn(options, key));
  return Default(Type.Object(options), Object.fromEntries(own)) as Content;
};

/** Returns the endpoints that a rule applies to. */
export const ruleEndpoints = (rule: FaultRule): readonly string[] =>
  (faultTable[rule.fault].endpoints ?? ENDPOINT_NAMES).filter((name) => rule.endpoints?.includes(name) ?? true);

/** Describes a rule in one line: `html at followers { every: 10 }: A page of HTML in place of JSON, …`. */
export function describeRule(rule: FaultRule): string {
  const { fault, endpoints: _, lossy: _lossy, ...rest } = rule;
  const endpoints = ruleEndpoints(rule);
  const endpointText = endpoints.length === ENDPOINT_NAMES.length ? '' : ` at ${endpoints.join(', ')}`;
  const parts = Object.entries(rest).map(([key, value]) => `${key}: ${formatValue(value)}`);
  return `${fault}${endpointText}${parts.length > 0 ? ` { ${parts.join(', ')} }` : ''}: ${faultTable[fault].description}`;
}

const formatValue = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value).replaceAll('"', '').replaceAll(/[,:]/g, '$& ');

function findRuleErrors(rule: unknown): SchemaProblem[] {
  if (typeof rule !== 'object' || rule === null || Array.isArray(rule))
    return [{ path: [], message: 'a rule is a map such as { fault: html, every: 10 }' }];
  const content = rule as Content;
  const name = content['fault'];
  if (name === undefined) return [{ path: [], message: `fault is missing: one of ${FAULT_NAMES.join(', ')}` }];
  if (typeof name !== 'string' || !Object.hasOwn(faultTable, name)) {
    return [
      { path: ['fault'], message: `unknown fault ${JSON.stringify(name)}; the faults are ${FAULT_NAMES.join(', ')}` },
    ];
  }
  const shapeErrors = ruleChecks[name as FaultName](content);
  return shapeErrors.length > 0 ? shapeErrors : findSemanticErrors(content as FaultRule);
}

function findSemanticErrors(rule: FaultRule): SchemaProblem[] {
  const { endpoints, outcome } = faultTable[rule.fault];
  const errors: SchemaProblem[] = [];
  for (const [i, name] of (rule.endpoints ?? []).entries()) {
    if (endpoints && !endpoints.includes(name)) {
      errors.push({ path: ['endpoints', String(i)], message: `${rule.fault} applies to ${endpoints.join(', ')} only` });
    }
  }
  const { burst, after = 0, until } = rule;
  if (burst && burst.length > burst.every)
    errors.push({ path: ['burst', 'length'], message: 'length should not be more than every' });
  if (until !== undefined && until <= after)
    errors.push({ path: ['until'], message: `until should be more than after, which is ${after}` });
  if (outcome === 'lost' && rule.lossy !== true) {
    errors.push({
      path: ['fault'],
      message: `${rule.fault} loses data without a trace; set lossy: true in the rule to allow it`,
    });
  }
  return errors;
}
