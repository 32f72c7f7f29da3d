import { UsageError } from '../errors.ts';
import { createSeededRandom, type SeededRandom } from '../seeded-random.ts';
import { isTriggeredAt } from './condition.ts';
import { resolveAlias } from './cursor-aliases.ts';
import { type FaultAnswer, type FaultRequest, createAnswer, type ServiceAnswer } from './fault-answer.ts';
import { openPage, type FaultPage } from './fault-page.ts';
import type { FaultRow, FaultContext } from './fault-row.ts';
import { FAULT_NAMES, type FaultName, faultTable } from './fault-table.ts';
import { ruleEndpoints, findPlanErrors, readFaultOptions } from './plan-checks.ts';
import type { FaultPlan, FaultRule } from './plan.ts';

export interface FaultsOptions {
  readonly plan: FaultPlan;
  readonly seed: number;
}

/** What a plan does to one request. */
export interface RequestFaults {
  /** The answer, when the service is not to be asked at all; it costs no quota. */
  readonly replacement: FaultAnswer | undefined;
  /** The cursor that the service is to be asked with. */
  readonly cursor: string | undefined;
  /** What is sent in place of the service's answer. Called once. */
  changeAnswer(answer: ServiceAnswer): FaultAnswer;
}

/** A plan at work on a service. Needs no server and no clock. */
export interface FaultInjector {
  /**
   * Decides about one request and counts it. What strikes depends on the seed, the rule, the endpoint, the target and how
   * many such requests came before, and so not on the order in which lists are asked for (rules that say `count:
   * endpoint` or `count: key` ask for just that).
   */
  beginRequest(request: FaultRequest): RequestFaults;
  /** All of it for a service that answers at once: `ask` is given the request with the service's own cursor. */
  answer(request: FaultRequest, ask: (request: FaultRequest) => ServiceAnswer): FaultAnswer;
}

interface Rule {
  readonly name: string;
  readonly fault: FaultName;
  readonly when: FaultRule;
  readonly row: FaultRow;
  readonly endpoints: ReadonlySet<string>;
  readonly options: Readonly<Record<string, unknown>>;
  readonly counts: Map<string, number>;
  readonly states: Map<string, object>;
}

/** One rule and what it makes of one request. */
interface RuleMatch {
  readonly rule: Rule;
  readonly context: FaultContext;
}

/** The service was asked and the quota was spent: what it refuses by itself is left as it is. */
const CHARGED_STATUSES = new Set([200, 404]);

/** @throws UsageError when the plan is not right. */
export function createFaultInjector({ plan, seed }: FaultsOptions): FaultInjector {
  const rules = prepareRules(plan);

  function beginRequest(request: FaultRequest): RequestFaults {
    const matches = rules.flatMap((rule) => matchRule(rule, request) ?? []);
    const replacement = findReplacement(matches);
    const ignoresCursor = matches.some(({ rule, context }) => context.isTriggered && rule.row.ignoresCursor);
    return {
      replacement,
      cursor: ignoresCursor ? undefined : resolveAlias(request.cursor),
      changeAnswer: (answer) => applyFaults(request, matches, answer),
    };
  }

  function matchRule(rule: Rule, request: FaultRequest): RuleMatch | undefined {
    if (!rule.endpoints.has(request.endpoint)) return undefined;
    const listKey = JSON.stringify([request.endpoint, request.target === '' ? request.key : request.target]);
    const { pages, count = rule.row.count ?? 'target' } = rule.when;
    const isCounted = pages === undefined || (pages === 'first') === (request.cursor === undefined);
    const countKey = { target: listKey, endpoint: request.endpoint, key: request.key }[count];
    const n = (rule.counts.get(countKey) ?? 0) + (isCounted ? 1 : 0);
    if (isCounted) rule.counts.set(countKey, n);
    const random = lazyRandom(() => createSeededRandom(seed, JSON.stringify(['fault', rule.name, count, countKey, n])));
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

  return {
    beginRequest,
    answer(request, ask) {
      const { replacement, cursor, changeAnswer } = beginRequest(request);
      return replacement ?? changeAnswer(ask({ ...request, cursor }));
    },
  };
}

/** In the order of the table, which is the order in which they are applied. */
function prepareRules(plan: FaultPlan): readonly Rule[] {
  const [first, ...others] = findPlanErrors(plan);
  if (first) {
    const more = others.length > 0 ? ` (and ${others.length} more)` : '';
    throw new UsageError(`the fault plan is not right: ${['rule', ...first.path].join(' ')}: ${first.message}${more}`);
  }
  const occurrences = new Map<FaultName, number>();
  return plan
    .map((when): Rule => {
      const occurrence = (occurrences.get(when.fault) ?? 0) + 1;
      occurrences.set(when.fault, occurrence);
      const row = faultTable[when.fault];
      return {
        // Not its place among all rules: another rule more leaves what this one does as it is.
        name: occurrence === 1 ? when.fault : `${when.fault} ${occurrence}`,
        fault: when.fault,
        when,
        row,
        endpoints: new Set(ruleEndpoints(when)),
        options: readFaultOptions(when, row),
        counts: new Map(),
        states: new Map(),
      };
    })
    .toSorted((a, b) => FAULT_NAMES.indexOf(a.fault) - FAULT_NAMES.indexOf(b.fault));
}

function stateOf({ row, states }: Rule, listKey: string): object {
  let state = states.get(listKey);
  if (!state) states.set(listKey, (state = row.createState?.() ?? {}));
  return state;
}

function findReplacement(matches: readonly RuleMatch[]): FaultAnswer | undefined {
  for (const { rule, context } of matches) {
    const replacement = rule.row.replaceRequest?.(context);
    if (replacement) return { ...replacement, appliedFaults: [rule.fault] };
  }
  return undefined;
}

function applyFaults(request: FaultRequest, matches: readonly RuleMatch[], answer: ServiceAnswer): FaultAnswer {
  let result: FaultAnswer = { ...createAnswer(answer.status, answer.body), headers: answer.headers };
  if (matches.length === 0 || !CHARGED_STATUSES.has(answer.status)) return result;
  const applied: string[] = [];
  let page: FaultPage | undefined;
  for (const { rule, context } of matches) {
    const { row, fault } = rule;
    if (row.changePage && answer.status === 200) {
      if (!page) {
        const body = structuredClone(answer.body);
        page = openPage(request.endpoint, body);
        result = { ...result, body };
      }
      if (page && row.changePage(page, context)) applied.push(fault);
    }
    if (!row.changeAnswer || !context.isTriggered) continue;
    const previous = result;
    result = row.changeAnswer(result, context);
    if (result !== previous) applied.push(fault);
  }
  return { ...result, appliedFaults: applied };
}

function lazyRandom(create: () => SeededRandom): () => SeededRandom {
  let random: SeededRandom | undefined;
  return () => (random ??= create());
}
