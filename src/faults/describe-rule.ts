import { endpointsOf } from './plan-checks.ts';
import type { FaultRule } from './plan.ts';
import { faultTable } from './table.ts';
import { ENDPOINT_NAMES } from './when.ts';

/** A rule in one line: `html at followers { every: 10 }: A page of HTML in place of JSON, …`. */
export function describeRule(rule: FaultRule): string {
  const { fault, endpoints: _, lossy: _lossy, ...rest } = rule;
  const endpoints = endpointsOf(rule);
  const where = endpoints.length === ENDPOINT_NAMES.length ? '' : ` at ${endpoints.join(', ')}`;
  const parts = Object.entries(rest).map(([key, value]) => `${key}: ${written(value)}`);
  return `${fault}${where}${parts.length > 0 ? ` { ${parts.join(', ')} }` : ''}: ${faultTable[fault].says}`;
}

const written = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value).replaceAll('"', '').replaceAll(/[,:]/g, '$& ');
