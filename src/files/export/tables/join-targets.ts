import { ACCOUNT_KINDS, formatKinds } from '#service/kinds/crawl-spec.ts';

/** The kinds of crawls whose targets are accounts, as SQL. */
export const ACCOUNTS = `(${formatKinds(ACCOUNT_KINDS)})`;

/**
 * Joins the account `u` or the tweet `t` of a crawl. Its target is the id of the service, if it is known; else an account is
 * `id:1` or a handle.
 */
export const joinTargets = (
  kind: string,
  target: string,
): string => `left join users u on ${kind} in ${ACCOUNTS} and u.id = coalesce(
    (select a.id from users a where a.rest_id = iif(${target} like 'id:%', substr(${target}, 4), ${target})),
    (select a.id from users a where a.screen_name = ${target} collate nocase limit 1)
  )
  left join tweets t on ${kind} = 'tweet' and t.rest_id = ${target}`;
