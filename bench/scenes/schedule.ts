import { DAY, MINUTE } from '#base/clock.ts';
import { createSeededRandom } from '#base/seeded-random.ts';
import { type AdaptiveSchedule, isDue } from '#crawl/jobs/adaptive-interval.ts';
import type { EndedCrawl } from '#store/schema/query-results.ts';
import { spread } from '../interleave.ts';
import type { Scene } from '../scene.ts';

const ACCOUNTS = 1000;
const DAYS = 30;
const PAGE_SIZE = 20;
/** The quota is 65 requests a minute: all accounts can be asked every 16 minutes. */
const LEAST = 16 * MINUTE;
const GREATEST = DAY;
/** Tweets a day of the most active account. By Zipf's law, the n-th account writes an n-th of them. */
const MOST_TWEETS = 200;

/** The times at which each account writes, in order: at random from 8 to 24 o'clock. */
function writeTweets(): number[][] {
  const random = createSeededRandom(1, 'schedule');
  return Array.from({ length: ACCOUNTS }, (_, n) => {
    const perMs = MOST_TWEETS / (n + 1) / ((2 / 3) * DAY);
    const times: number[] = [];
    for (let awake = 0; awake < (DAYS * DAY * 2) / 3;) {
      awake -= Math.log(1 - random.float()) / perMs;
      times.push(awake + DAY / 3 + Math.floor(awake / ((2 / 3) * DAY)) * (DAY / 3));
    }
    return times.filter((at) => at < DAYS * DAY);
  });
}

/** Crawls the timelines of accounts at an interval of each. A crawl reads pages down to a known tweet. */
function crawlTimelines(accounts: readonly (readonly number[])[], schedule: AdaptiveSchedule) {
  let [requests, rows, delay, longest] = [0, 0, 0, 0];
  for (const tweets of accounts) {
    let crawls: EndedCrawl[] = [];
    let known = 0;
    for (let at = 0; at < DAYS * DAY; at += schedule.every) {
      if (!isDue(schedule, crawls, at)) continue;
      const before = known;
      for (; known < tweets.length && tweets[known]! <= at; known++) delay += at - tweets[known]!;
      const newItems = known - before;
      const pages = Math.floor(newItems / PAGE_SIZE) + 1;
      requests += pages;
      rows += newItems;
      longest = Math.max(longest, at - (crawls[0]?.startedAt ?? at));
      crawls = [{ startedAt: at, newItems }, ...crawls.slice(0, 3)];
    }
  }
  return { requests, rows, delay: delay / rows, longest, yield: rows / requests };
}

/** One interval for all accounts. */
const fixed = (every: number) => ({ every, greatest: every * 1.5 });

/** The shortest interval in minutes for all accounts that takes at most so many requests. */
function findEqual(requests: number, crawl: (every: number) => { readonly requests: number }): number {
  let [tooShort, long] = [1, GREATEST / MINUTE];
  while (long - tooShort > 1) {
    const middle = (tooShort + long) >> 1;
    if (crawl(middle * MINUTE).requests > requests) tooShort = middle;
    else long = middle;
  }
  return long;
}

/** New rows per request of one fixed interval and of an interval for each account: a simulation, with the rule of the scheduler. */
export const scheduleScene: Scene = {
  name: 'schedule',
  measure({ log }) {
    const accounts = writeTweets();
    const crawl = (every: number) => crawlTimelines(accounts, fixed(every));
    const one = crawl(LEAST);
    const adaptive = crawlTimelines(accounts, { every: LEAST, greatest: GREATEST });
    const every = findEqual(adaptive.requests, crawl);
    const equal = crawl(every * MINUTE);
    log(
      `schedule: ${adaptive.requests} requests instead of ${one.requests}; one interval with as many is ${every} min`,
    );
    return Promise.resolve({
      figures: {
        'schedule-yield': spread([adaptive.yield / one.yield]),
        'schedule-delay': spread([adaptive.delay / equal.delay]),
        'schedule-longest': spread([adaptive.longest / GREATEST]),
      },
      notes: {
        'schedule: new rows per request, interval by account': spread([adaptive.yield]),
        'schedule: new rows per request, all accounts every 16 min': spread([one.yield]),
        'schedule: minutes from a tweet to its row, interval by account': spread([adaptive.delay / MINUTE]),
        'schedule: the same with one interval and as many requests': spread([equal.delay / MINUTE]),
      },
    });
  },
};
