import { pagesOf } from './endings.ts';
import type { CrawlFacts, Evidence } from './evidence.ts';

/** Snowballs of one command, or of several commands that named the same one. */
interface SnowballGroup {
  readonly roots: Set<number>;
  /** The number of accounts that all commands allow. */
  readonly most: number;
  /** Whether there are several commands, each with its own limit. */
  readonly areSeveral: boolean;
}

/**
 * `--max-targets` limits the command: all its snowballs together have at most that many accounts, and as many if their
 * pages show enough.
 */
export function checkLimits(evidence: Evidence): void {
  const { crawls, db, fail } = evidence;
  const found = db
    .prepare<[string], string>(
      `select distinct target from _crawl_tree join crawls on crawls.id = descendant_id
       where _crawl_tree.root_id in (select value from json_each(?)) and options <> '{"isRecheck":true}'`,
    )
    .pluck();
  for (const { roots, most, areSeveral } of togetherOf(evidence)) {
    const targets = found.all(JSON.stringify([...roots])).length;
    const about = `the snowballs ${[...roots].join(', ')} have ${targets} accounts`;
    if (targets > most) fail('invariant 5', `${about}, and ${most} were allowed`);
    if (areSeveral) continue;
    const leading = crawls.filter((crawl) => crawl.limits.maxTargets !== undefined && roots.has(rootIdOf(crawl)));
    const shown = new Set(
      leading.flatMap((crawl) => pagesOf(evidence, crawl).flatMap(({ parsed }) => parsed?.items ?? [])),
    );
    if (targets < Math.min(most, shown.size)) fail('invariant 1', `${about} only, and were shown ${shown.size}`);
  }
}

const rootIdOf = ({ id, root_id }: CrawlFacts): number => root_id ?? id;

function togetherOf({ requested, crawls }: Evidence): SnowballGroup[] {
  const budgeted = requested.filter(({ isBudgeted }) => isBudgeted);
  const commands = [
    ...requested.filter(({ isBudgeted }) => !isBudgeted).map(({ ids }) => ({ ids, areSeveral: false })),
    { ids: budgeted.flatMap(({ ids }) => ids), areSeveral: budgeted.length > 1 },
  ];
  let all: SnowballGroup[] = [];
  for (const { ids, areSeveral } of commands) {
    const named = crawls.filter(({ id, limits }) => ids.includes(id) && limits.maxTargets !== undefined);
    if (named.length === 0) continue;
    const roots = new Set(named.map(rootIdOf));
    const same = all.filter((one) => [...one.roots].some((id) => roots.has(id)));
    all = all.filter((one) => !same.includes(one));
    const before = same.reduce((sum, one) => sum + one.most, 0);
    const own = Math.max(...named.map(({ limits }) => limits.maxTargets!));
    // A command that names all of them is a repetition and counts their accounts.
    const isAll = !areSeveral && same.every((one) => [...one.roots].every((id) => roots.has(id)));
    all.push({
      roots: new Set([...roots, ...same.flatMap((one) => [...one.roots])]),
      most: isAll ? Math.max(own, ...same.map((one) => one.most)) : before + own,
      areSeveral: areSeveral || same.length > 0,
    });
  }
  return all;
}
