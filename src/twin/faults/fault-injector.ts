import { UsageError } from '#base/errors.ts';
import { createSeededRandom, type SeededRandom } from '#base/seeded-random.ts';
import { resolveAlias } from './definition/cursor-aliases.ts';
import { openPage, type FaultPage } from './definition/fault-page.ts';
import {
  type FaultAnswer,
  type FaultRequest,
  createAnswer,
  type ServiceAnswer,
  isTriggeredAt,
  type FaultRow,
  type FaultContext,
} from './definition/fault-row.ts';
import {
  type FaultPlan,
  type FaultRule,
  findPlanErrors,
  readFaultOptions,
  ruleEndpoints,
  FAULT_NAMES,
  type FaultName,
  faultTable,
} from './fault-table.ts';

export interface FaultsOptions {
  readonly plan: FaultPlan;
  readonly seed: number;
}

export interface RequestFaults {
  /** The response if the service does not receive the request; it costs no quota. */
  readonly replacement: FaultAnswer | undefined;
  /** The cursor to pass to the service. */
  readonly cursor: string | undefined;
  /** Returns the response to send. Called once. */
  changeAnswer(answer: ServiceAnswer): FaultAnswer;
}

interface Rule {
  readonly name: string;
  readonly when: FaultRule;
  readonly row: FaultRow;
  readonly endpoints: readonly string[];
  readonly options: FaultContext['options'];
  readonly counts: Map<string, number>;
  readonly states: Map<string, object>;
}

/** A rule that applies to a request. */
interface RuleMatch {
  readonly rule: Rule;
  readonly context: FaultContext;
}

/** Statuses that cost quota; other error responses of the service are not changed. */
const CHARGED_STATUSES = new Set([200, 404]);

/**
 * Creates a function that decides on one request and counts it. The faults depend on the seed, the rule, the endpoint, the
 * target and the number of earlier requests of the target, and so not on the order of lists (unless a rule says
 * `count: endpoint` or `count: key`). Needs neither server nor clock.
 * @throws UsageError if the plan is invalid
 */
export function createFaultInjector({ plan, seed }: FaultsOptions): (request: FaultRequest) => RequestFaults {
  const rules = prepareRules(plan);

  return (request) => {
    const matches = rules.flatMap((rule) => matchRule(rule, request) ?? []);
    const replacement = findReplacement(matches);
    const ignoresCursor = matches.some(({ rule, context }) => context.isTriggered && rule.row.ignoresCursor);
    return {
      replacement,
      cursor: ignoresCursor ? undefined : resolveAlias(request.cursor),
      changeAnswer: (answer) => applyFaults(request, matches, answer),
    };
  };

  function matchRule(rule: Rule, request: FaultRequest): RuleMatch | undefined {
    if (!rule.endpoints.includes(request.endpoint)) return undefined;
    const listKey = JSON.stringify([request.endpoint, request.target === '' ? request.key : request.target]);
    const { pages, count = rule.row.count ?? 'target' } = rule.when;
    const isCounted = pages === undefined || (pages === 'first') === (request.cursor === undefined);
    const countKey = { target: listKey, endpoint: request.endpoint, key: request.key }[count];
    const n = (rule.counts.get(countKey) ?? 0) + (isCounted ? 1 : 0);
    if (isCounted) rule.counts.set(countKey, n);
    let generator: SeededRandom | undefined;
    const random = (): SeededRandom =>
      (generator ??= createSeededRandom(seed, JSON.stringify(['fault', rule.name, count, countKey, n])));
    const isTriggered = isCounted && isTriggeredAt(rule.when, n, random);
    if (!isTriggered && !rule.row.createState) return undefined;
    const context = {
      request,
      isTriggered,
      options: rule.options,
      rule: rule.name,
      get random() {
        return random();
      },
      state: stateOf(rule, listKey),
    };
    return { rule, context };
  }
}

/** Returns the rules in the order of the fault table, in which they are applied. */
function prepareRules(plan: FaultPlan): readonly Rule[] {
  const [first, ...others] = findPlanErrors(plan);
  if (first) {
    const more = others.length > 0 ? ` (and ${others.length} more)` : '';
    throw new UsageError(`the fault plan is invalid: ${['rule', ...first.path].join(' ')}: ${first.message}${more}`);
  }
  const occurrences = new Map<FaultName, number>();
  return plan
    .map((when): Rule => {
      const occurrence = (occurrences.get(when.fault) ?? 0) + 1;
      occurrences.set(when.fault, occurrence);
      const row = faultTable[when.fault];
      return {
        // The name does not depend on other rules, so that adding a rule does not change this one's random numbers.
        name: occurrence === 1 ? when.fault : `${when.fault} ${occurrence}`,
        when,
        row,
        endpoints: ruleEndpoints(when),
        options: readFaultOptions(when, row),
        counts: new Map(),
        states: new Map(),
      };
    })
    .toSorted((a, b) => FAULT_NAMES.indexOf(a.when.fault) - FAULT_NAMES.indexOf(b.when.fault));
}

function stateOf({ row, states }: Rule, listKey: string): object {
  let state = states.get(listKey);
  if (!state) states.set(listKey, (state = row.createState?.() ?? {}));
  return state;
}

function findReplacement(matches: readonly RuleMatch[]): FaultAnswer | undefined {
  for (const { rule, context } of matches) {
    const replacement = rule.row.replaceRequest?.(context);
    if (replacement) return { ...replacement, appliedFaults: [rule.when.fault] };
  }
  return undefined;
}

function applyFaults(request: FaultRequest, matches: readonly RuleMatch[], answer: ServiceAnswer): FaultAnswer {
  let result: FaultAnswer = { ...createAnswer(answer.status, answer.body), headers: answer.headers };
  if (matches.length === 0 || !CHARGED_STATUSES.has(answer.status)) return result;
  const applied: string[] = [];
  let page: FaultPage | undefined;
  for (const { rule, context } of matches) {
    const { row, when } = rule;
    if (row.changePage && answer.status === 200) {
      if (!page) {
        const body = structuredClone(answer.body);
        page = openPage(request.endpoint, body);
        result = { ...result, body };
      }
      if (page && row.changePage(page, context)) applied.push(when.fault);
    }
    if (!row.changeAnswer || !context.isTriggered) continue;
    const previous = result;
    result = row.changeAnswer(result, context);
    if (result !== previous) applied.push(when.fault);
  }
  return { ...result, appliedFaults: applied };
}
