import {
  countFollowCandidates,
  createListChecks,
  createProfileChecks,
  type FollowRecheckCounts,
  readFollowRecheckCounts,
  selectFollowCandidates,
} from '#analysis/recheck/follow-candidates.ts';
import { systemClock } from '#base/clock.ts';
import { getConfig } from '#cli/context.ts';
import { crawlInProcess, type CrawlRunOptions } from '#cli/crawl/run.ts';
import { EXIT } from '#cli/shared/common-options.ts';
import { openExistingDatabase } from '#cli/shared/existing-store.ts';
import { hint, formatCount, pluralize, print, printJson } from '#cli/terminal/print.ts';

interface FollowsOptions extends CrawlRunOptions {
  readonly dryRun?: true;
}

/** Decides candidates: edges that lists lacked which were cut short. Returns the exit code. */
export async function runRecheckFollows(options: FollowsOptions): Promise<number> {
  const { db: path, json, dryRun } = options;
  using db = await openExistingDatabase(path);
  const startedAt = systemClock.now();
  const candidates = selectFollowCandidates(db, startedAt);
  if (dryRun || candidates.length === 0) {
    const total = countFollowCandidates(db);
    if (json) printJson({ recheck: { items: 'follows', candidates: total, selected: candidates.length } });
    else
      print(
        `${pluralize(total, 'candidate')}; a run decides ${formatCount(candidates.length)}, with two requests or more for each.`,
      );
    return EXIT.complete;
  }
  const requested = new Set<string>();
  return await crawlInProcess(createProfileChecks(candidates), { ...options, needsConfirmation: true }, getConfig(), {
    nextSpecs() {
      const specs = createListChecks(db, candidates, startedAt).filter(({ target }) => !requested.has(target));
      for (const { target } of specs) requested.add(target);
      return specs;
    },
    readOutcome(_, rows) {
      const counts = readFollowRecheckCounts(db, candidates);
      const left = countFollowCandidates(db);
      return {
        lines: formatCounts(counts, left),
        fields: { recheck: { items: 'follows', ...counts, left } },
        isPartial: left > 0,
        exitCode: rows.some(({ state }) => state === 'failed') ? EXIT.failed : EXIT.complete,
      };
    },
  });
}

function formatCounts(counts: FollowRecheckCounts, left: number): string[] {
  const { checked, unfollowed, accountsGone, stillFollowing, undecided } = counts;
  const parts = [
    `${formatCount(unfollowed)} unfollowed`,
    `${pluralize(accountsGone, 'account')} gone`,
    `${formatCount(stillFollowing)} still following`,
    `${formatCount(undecided)} undecided`,
  ];
  return [
    `Checked ${pluralize(checked, 'candidate')}: ${parts.join(', ')}.`,
    ...(left > 0 ? [`Candidates left: ${formatCount(left)}; ${hint('recheck follows')} continues.`] : []),
  ];
}
