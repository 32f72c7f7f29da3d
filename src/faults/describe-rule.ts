import { ENDPOINT_NAMES } from './definition/condition.ts';
import { faultTable } from './fault-table.ts';
import { ruleEndpoints } from './plan-checks.ts';
import type { FaultRule } from './plan.ts';

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
