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
  readonly memories: Map<string, object>;
}

/** One rule and what it makes of one request. */
interface Meeting {
  readonly rule: Rule;
  readonly strike: FaultContext;
}

/** The service was asked and the quota was spent: what it refuses by itself is left as it is. */
const PAID = new Set([200, 404]);

/** @throws UsageError when the plan is not right. */
export function createFaultInjector({ plan, seed }: FaultsOptions): FaultInjector {
  const rules = rulesOf(plan);

  function meet(request: FaultRequest): RequestFaults {
    const meetings = rules.flatMap((rule) => meeting(rule, request) ?? []);
    const refusal = refusalOf(meetings);
    const ignored = meetings.some(({ rule, strike }) => strike.isTriggered && rule.row.ignoresCursor);
    return {
      replacement: refusal,
      cursor: ignored ? undefined : resolveAlias(request.cursor),
      changeAnswer: (answer) => finished(request, meetings, answer),
    };
  }

  function meeting(rule: Rule, request: FaultRequest): Meeting | undefined {
    if (!rule.endpoints.has(request.endpoint)) return undefined;
    const list = JSON.stringify([request.endpoint, request.target === '' ? request.key : request.target]);
    const { pages, count = rule.row.count ?? 'target' } = rule.when;
    const isCounted = pages === undefined || (pages === 'first') === (request.cursor === undefined);
    const counted = { target: list, endpoint: request.endpoint, key: request.key }[count];
    const n = (rule.counts.get(counted) ?? 0) + (isCounted ? 1 : 0);
    if (isCounted) rule.counts.set(counted, n);
    const dice = lazyDice(() => createSeededRandom(seed, JSON.stringify(['fault', rule.name, count, counted, n])));
    const struck = isCounted && isTriggeredAt(rule.when, n, dice);
    if (!struck && !rule.row.memory) return undefined;
    const strike = {
      request,
      isTriggered: struck,
      options: rule.options,
      rule: rule.name,
      get random() {
        return dice();
      },
      memory: memoryOf(rule, list),
    };
    return { rule, strike };
  }

  return {
    beginRequest: meet,
    answer(request, ask) {
      const { replacement, cursor, changeAnswer } = meet(request);
      return replacement ?? changeAnswer(ask({ ...request, cursor }));
    },
  };
}

/** In the order of the table, which is the order in which they are applied. */
function rulesOf(plan: FaultPlan): readonly Rule[] {
  const [first, ...others] = findPlanErrors(plan);
  if (first) {
    const more = others.length > 0 ? ` (and ${others.length} more)` : '';
    throw new UsageError(`the fault plan is not right: ${['rule', ...first.path].join(' ')}: ${first.message}${more}`);
  }
  const seen = new Map<FaultName, number>();
  return plan
    .map((when): Rule => {
      const nth = (seen.get(when.fault) ?? 0) + 1;
      seen.set(when.fault, nth);
      const row = faultTable[when.fault];
      return {
        // Not its place among all rules: another rule more leaves what this one does as it is.
        name: nth === 1 ? when.fault : `${when.fault} ${nth}`,
        fault: when.fault,
        when,
        row,
        endpoints: new Set(ruleEndpoints(when)),
        options: readFaultOptions(when, row),
        counts: new Map(),
        memories: new Map(),
      };
    })
    .toSorted((a, b) => FAULT_NAMES.indexOf(a.fault) - FAULT_NAMES.indexOf(b.fault));
}

function memoryOf({ row, memories }: Rule, list: string): object {
  let memory = memories.get(list);
  if (!memory) memories.set(list, (memory = row.memory?.() ?? {}));
  return memory;
}

function refusalOf(meetings: readonly Meeting[]): FaultAnswer | undefined {
  for (const { rule, strike } of meetings) {
    const refusal = rule.row.replaceRequest?.(strike);
    if (refusal) return { ...refusal, appliedFaults: [rule.fault] };
  }
  return undefined;
}

function finished(request: FaultRequest, meetings: readonly Meeting[], answer: ServiceAnswer): FaultAnswer {
  let made: FaultAnswer = { ...createAnswer(answer.status, answer.body), headers: answer.headers };
  if (meetings.length === 0 || !PAID.has(answer.status)) return made;
  const shown: string[] = [];
  let page: FaultPage | undefined;
  for (const { rule, strike } of meetings) {
    const { row, fault } = rule;
    if (row.changePage && answer.status === 200) {
      if (!page) {
        const body = structuredClone(answer.body);
        page = openPage(request.endpoint, body);
        made = { ...made, body };
      }
      if (page && row.changePage(page, strike)) shown.push(fault);
    }
    if (!row.changeAnswer || !strike.isTriggered) continue;
    const before = made;
    made = row.changeAnswer(made, strike);
    if (made !== before) shown.push(fault);
  }
  return { ...made, appliedFaults: shown };
}

function lazyDice(make: () => SeededRandom): () => SeededRandom {
  let dice: SeededRandom | undefined;
  return () => (dice ??= make());
}
