import type { Plan } from './plan.ts';

/** Lists of a plan whose elements can be removed. */
const LISTS = ['disturbances', 'faults', 'strangers', 'changes', 'acts'] as const;

/** Simplifications of the service, the key and the workers. */
const SIMPLER: readonly ((plan: Plan) => Plan)[] = [
  (plan) => ({ ...plan, shapes: [] }),
  (plan) => ({ ...plan, shapes: plan.shapes?.slice(1) }),
  (plan) => ({ ...plan, outages: [] }),
  (plan) => ({ ...plan, outages: (plan.outages ?? []).slice(1) }),
  (plan) => ({ ...plan, refusals: [] }),
  (plan) => ({ ...plan, disks: [] }),
  (plan) => ({ ...plan, processes: 1 }),
  (plan) => ({ ...plan, slots: 1 }),
  (plan) => ({ ...plan, quota: { limit: 10_000, windowMs: 900_000, sliding: false } }),
  (plan) => ({ ...plan, traits: { ...plan.traits, end: 'none' } }),
  (plan) => ({ ...plan, traits: { ...plan.traits, pinned: 'not' } }),
  (plan) => ({ ...plan, traits: { ...plan.traits, moreCursors: false } }),
  (plan) => ({ ...plan, traits: { ...plan.traits, sparse: 0 } }),
  (plan) => ({ ...plan, traits: { ...plan.traits, followingCache: 0 } }),
  (plan) => ({ ...plan, traits: { ...plan.traits, hidden: 0 } }),
  (plan) => ({ ...plan, size: { ...plan.size, posts: plan.size.posts >> 1 } }),
  (plan) => ({ ...plan, size: { ...plan.size, edges: plan.size.edges >> 1 } }),
];

/**
 * Returns a smaller plan that still fails, by removing one element at a time. `isBad` runs a plan, at most `most`
 * times.
 */
export async function shrink(plan: Plan, isBad: (plan: Plan) => Promise<boolean>, most = 300): Promise<Plan> {
  let smallest = plan;
  let tries = 0;
  async function isSmaller(candidate: Plan): Promise<boolean> {
    if (tries++ >= most || JSON.stringify(candidate) === JSON.stringify(smallest)) return false;
    if (!(await isBad(candidate))) return false;
    smallest = candidate;
    return true;
  }
  for (let shrunk = true; shrunk && tries < most;) {
    shrunk = false;
    for (const name of LISTS) {
      if (smallest[name].length > 1) shrunk = (await isSmaller({ ...smallest, [name]: [] })) || shrunk;
      for (let i = smallest[name].length - 1; i >= 0; i--) {
        shrunk = (await isSmaller({ ...smallest, [name]: smallest[name].filter((_, at) => at !== i) })) || shrunk;
      }
    }
    for (const simpler of SIMPLER) shrunk = (await isSmaller(simpler(smallest))) || shrunk;
  }
  return smallest;
}
