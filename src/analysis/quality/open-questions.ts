import { toSingleLine } from '#base/text.ts';
import { formatDuration } from '#base/units.ts';
import { isDocumentedField } from '#service/contract/documented-fields.ts';
import { formatKinds } from '#service/kinds/crawl-spec.ts';
import { KIND_NAMES, kindTable } from '#service/kinds/kinds.ts';
import type { Db } from '#store/sqlite/database.ts';

/** A question that the interface specification leaves open ("not shown"). */
export interface OpenQuestion {
  readonly question: string;
  /** What trawl assumes. */
  readonly assumed: string;
  /** What stored responses of the service show; null if none does yet. */
  readonly found: string | null;
}

/** The time of a request, and the headers of its response. */
type Headers = { readonly at: number; readonly fields: Readonly<Record<string, unknown>> };

/** Finds words in the headers of the latest responses whose bodies are kept, newest first. */
type ReadHeaders = (latest: readonly Headers[]) => readonly string[];

const SHOWN = 8;
/** A header `Date` has whole seconds, and a response takes some. */
const CLOCK_TOLERANCE_MS = 5000;

const NOT_NEEDED = "select 'not examined: nothing depends on it' as word";

/** Returns the kinds of some shapes as a list of SQL. */
const kindsOf = (...shapes: string[]): string =>
  formatKinds(KIND_NAMES.filter((kind) => shapes.includes(kindTable[kind].shape)));

const findHeaders =
  (pattern: RegExp): ReadHeaders =>
  (latest) =>
    Object.entries(Object.assign({}, ...latest.toReversed().map(({ fields }) => fields)) as object)
      .filter(([name]) => pattern.test(name))
      .map(([name, value]) => `${name}: ${String(value)}`);

function compareClocks(latest: readonly Headers[]): string[] {
  const offsets = latest
    .map(({ at, fields }) => Date.parse(String(fields['date'])) - at)
    .filter((ms) => !Number.isNaN(ms));
  const offset = offsets.toSorted((a, b) => a - b)[offsets.length >> 1];
  if (offset === undefined) return [];
  if (Math.abs(offset) <= CLOCK_TOLERANCE_MS) return ['the same time as here'];
  return [`${formatDuration(Math.abs(offset))} ${offset > 0 ? 'ahead of' : 'behind'} this machine`];
}

/** The questions in the order of the specification. A query returns words, and of a field also its place. */
const QUESTIONS: readonly (readonly [question: string, assumed: string, find: string | ReadHeaders])[] = [
  [
    'fields beyond the documented ones',
    'they are counted, and stay in the bodies of pages',
    `select distinct field as word from _drift where field not like 'cursor (%' and field not like 'status %' order by 1`,
  ],
  [
    'fields that may be absent or null',
    'all but the id: an absent value never replaces a known one',
    // The spec says that originals, and replies below a tweet, lack some.
    `select endpoint, field,
       field || ' of ' || endpoint || ' (' || (100 - 100 * sum(filled_count) / sum(inspected_count)) || ' % without)' as word
     from _field_statistics where not is_drift and field not like 'tweet.in_reply_to_%'
       and not (endpoint = 'tweet-detail' and field like 'tweet.%')
     group by endpoint, field having sum(filled_count) < sum(inspected_count)`,
  ],
  ['types of media', 'any text', 'select distinct type as word from media where type is not null order by 1'],
  ['states, transitions and events', 'none', NOT_NEEDED],
  [
    'parameter for the next page of followers and following',
    'cursor',
    `select cursor_support || ' by ' || endpoint as word from _endpoint_capabilities
     where cursor_support is not null and endpoint in ('followers', 'following') order by endpoint`,
  ],
  [
    'further pages of lists without a documented cursor',
    'none, but a cursor that is sent is followed',
    `select kind || iif(max(pages) > 1, ': up to ' || max(pages) || ' pages', ': one page') as word from crawls
     where kind in (${kindsOf('unpaged list')}) and pages > 0 group by kind`,
  ],
  ['order of followers and following', 'none', NOT_NEEDED],
  ['life of an API key', 'until a 401, which stops all workers', NOT_NEEDED],
  [
    'body of an error',
    'any: only the status counts',
    `select endpoint || ', ' || status || ': ' || substr(error, 1, 120) as word from requests
     where error is not null and status is not null order by id desc limit 1`,
  ],
  [
    'status when the quota is exceeded, and other statuses',
    '429, or any 4xx or 5xx while token-info says that no request remains',
    `select status || ' (' || count(*) || iif(count(*) = 1, ' time)', ' times)') as word from requests
     where status >= 400 and status not in (400, 401, 404, 500) group by status`,
  ],
  [
    'quota and its window',
    'those of token-info, for all endpoints together',
    `select max(request_limit) || ' requests, reset within ' || ((max(reset_at - sampled_at) + 59999) / 60000) || ' min' as word
     from (select * from _quota_samples order by id desc limit 100)`,
  ],
  ['rate limits per endpoint', 'none', findHeaders(/rate|limit|retry/i)],
  [
    'cache validity of following',
    'any: an equal response is no second evidence',
    `select 'the same response again after ' || (max(ms) / 60000) || ' min' as word from (
       select max(fetched_at) - min(fetched_at) as ms from (select * from raw_pages order by id desc limit 1000)
       where endpoint = 'following' group by parameters, hash having count(*) > 1)`,
  ],
  [
    'page size of lists',
    'any',
    `select kind || ' up to ' || max(iif(pages = 1, items, (items - last_page_items) / (pages - 1))) as word from crawls
     where pages > 0 and items > 0 and kind in (${kindsOf('paged list', 'unpaged list')}) group by kind`,
  ],
  ['clock of the service', 'times are those of this machine', compareClocks],
  ['versions of the service', 'one', findHeaders(/version|deprecat|sunset/i)],
];

/** Answers the questions that the specification leaves open from what a store has of a service. Sends no request. */
export function answerOpenQuestions({ $client }: Db): OpenQuestion[] {
  const latest = $client
    .prepare<[], { at: number; headers: string }>(
      'select fetched_at as at, headers from raw_pages where headers is not null order by id desc limit 20',
    )
    .all()
    .map(({ at, headers }): Headers => ({ at, fields: JSON.parse(headers) as Headers['fields'] }));
  const query = (statement: string): string[] =>
    $client
      .prepare<[], { word: string | null; endpoint?: string; field?: string }>(statement)
      .all()
      .filter(({ endpoint = '', field }) => field === undefined || isDocumentedField(endpoint, field))
      .flatMap(({ word }) => word ?? []);
  return QUESTIONS.map(([question, assumed, find]) => {
    // Texts of the service may have control characters.
    const words = (typeof find === 'string' ? query(find) : find(latest)).map(toSingleLine);
    const rest = words.length > SHOWN ? [`${words.length - SHOWN} more`] : [];
    return { question, assumed, found: [...words.slice(0, SHOWN), ...rest].join(', ') || null };
  });
}
