/** A planted bug: replacements of code in a file of `src`. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  /** Replacements, in another file than `file` if one is named. */
  readonly edits: readonly (readonly [from: string, to: string, file?: string])[];
}

const mutant = (name: string, file: string, from: string, to: string, ...more: Mutant['edits']): Mutant => ({
  name,
  file,
  edits: [[from, to], ...more],
});

/** The last causes of ended edges in the view `v_follow_changes`. */
const CAUSES = '../migrations/0000_baseline.sql';
const OTHERWISE = `    ) THEN 'account gone'
    ELSE 'unknown'
  END) AS cause
FROM follows f`;

/** Plausible bugs. The simulation has to find each within 200 seeds, otherwise the simulation is defective. */
export const MUTANTS: readonly Mutant[] = [
  // Invariant 1: nothing ahead of the data.
  mutant(
    'the checkpoint is stored before the rows',
    'store/writer/page-commit.ts',
    'const stored = pages.storePage(',
    `leases.advanceCheckpoint({ ...shown, rows: { ...shown.rows, rejects: [] }, lookups: [], requests: [] }, 0);
     db.$client.exec('commit'); db.$client.exec('begin immediate');
     const stored = pages.storePage(`,
  ),
  mutant(
    'pages are stored without a transaction',
    'store/writer/group-commit.ts',
    `    begin();
    try {`,
    `    const commit = { run: () => undefined };
    try {`,
  ),
  mutant(
    'a page is stored past a hole',
    'store/crawls/leases.ts',
    '.where(and(held, sql`${crawls.cursor} is ${bound.from}`))',
    '.where(and(held, sql`(${crawls.cursor} is ${bound.from} or 1)`))',
  ),
  mutant(
    'a crawl continues without waiting for its commits',
    'crawl/slice/slice-writes.ts',
    '      await before;\n      throw error;',
    '      return undefined;',
  ),
  mutant(
    'a crawl gets the summary of the page that was parsed before',
    'store/staging/staged-pages.ts',
    "return { is: 'staged', stagedId, summary,",
    "const wrong = lastSummary ?? summary;\n      lastSummary = summary;\n      return { is: 'staged', stagedId, summary: wrong,",
    ['  let lastId = 0;', '  let lastId = 0;\n  let lastSummary: PageSummary | undefined;'],
  ),
  mutant(
    'a page is stored without its rows',
    'store/staging/staged-pages.ts',
    'rows: isStaged ? find(rows, submitted).rows : rows,',
    'rows: isStaged ? { ...find(rows, submitted).rows, users: [], follows: [] } : rows,',
  ),
  mutant(
    'the cursor is not in the checkpoint',
    'crawl/page/decide-page.ts',
    '{ ...counts, cursor: next.cursor,',
    '{ ...counts, cursor: null,',
  ),
  mutant(
    'the last page of a list has no child crawls',
    'crawl/page/decide-page.ts',
    '    ...conclusion,\n  };',
    '    ...(end ? { children: [] } : {}),\n    ...conclusion,\n  };',
  ),
  mutant(
    'an edge of a known account is dropped',
    'store/merge/store-rows.ts',
    'const ids = members.map((restId) => users.ids.get(restId)!);',
    'const ids = users.newUsers === 0 ? [] : members.map((restId) => users.ids.get(restId)!);',
  ),
  mutant(
    'who was seen in a transaction that was undone is remembered',
    'store/writer/group-commit.ts',
    `      if ($client.inTransaction) rollback.run();
      userCache.clear();`,
    '      if ($client.inTransaction) rollback.run();',
  ),
  mutant(
    'what other processes write is not noticed',
    'store/merge/user-cache.ts',
    'if (now !== lastVersion) clear();',
    '',
  ),
  // Invariants 4 and 5: what a response says beside its list.
  mutant(
    'a hint that the list goes on is only drift',
    'crawl/pagination/cursor-hints.ts',
    'if (first === undefined) return none;',
    'if (first !== null) return none;',
  ),
  mutant(
    'a hint that leads back to the first page is the end',
    'crawl/pagination/cursor-hints.ts',
    "if (learnt && learnt.outcome !== 'followed') return { cursor: UNREADABLE_CURSOR, trial: undefined, learnt };",
    "if (learnt && learnt.outcome !== 'followed') return { cursor: { type: 'end', value: null }, trial: undefined, learnt };",
  ),
  mutant(
    'a header is no hint',
    'service/contract/envelope.ts',
    '...findHeaderHints(headers),',
    '...findHeaderHints("{}"),',
  ),
  mutant(
    'an end that is spelt out is a hint',
    'service/contract/envelope.ts',
    "[undefined, null, false, 0, -1, '0', '-1', '', 'false']",
    "[undefined, null, false, 0, 'false']",
  ),
  mutant(
    'errors beside the list are ignored',
    'service/contract/incomplete-responses.ts',
    "if (isFilled(holder['errors'])) return 'errors';",
    '',
  ),
  mutant(
    'a part of a response is a whole one',
    'service/contract/incomplete-responses.ts',
    'if (isPartialStatus(status)) return `status ${status}`;',
    '',
  ),
  mutant(
    'a list without its owner is complete',
    'service/contract/wire-page.ts',
    "incomplete: incomplete ?? (hasNoOwner ? 'no owner' : undefined),",
    'incomplete,',
  ),
  mutant(
    'members in an unknown instruction are only drift',
    'service/contract/envelope.ts',
    "sign ?? (hasStrayMembers ? 'members outside of the list' : undefined)",
    'sign',
  ),
  mutant(
    'an incomplete response is not requested again',
    'crawl/pagination/page-retry.ts',
    'if (checkpoint.hasRetriedIncomplete || isRepeated) return undefined;',
    'if (checkpoint) return undefined;',
  ),
  mutant(
    'an incomplete response ignores --max-targets',
    'crawl/page/decide-page.ts',
    'finding: createFinding(crawl, INCOMPLETE, incomplete),\n    children,\n    maxTargets,',
    'finding: createFinding(crawl, INCOMPLETE, incomplete),\n    children,',
  ),
  mutant(
    'the accounts of an incomplete response have no child crawls',
    'crawl/page/decide-page.ts',
    'if (retry) return { change: { targetRestId, checkpoint: retry.checkpoint }, children,',
    'if (retry) return { change: { targetRestId, checkpoint: retry.checkpoint }, children: [],',
  ),
  mutant(
    'the status of a stored response is lost in a rebuild',
    'store/rebuild/stored-responses.ts',
    '{ status, headers });',
    '{ status: 200, headers });',
  ),
  mutant(
    'one page that equals the one before ends its crawl',
    'crawl/pagination/page-retry.ts',
    'if (checkpoint.isRepeatedPage || checkpoint.hint ||',
    'if (checkpoint.isRepeatedPage !== null || checkpoint.hint ||',
  ),
  mutant(
    'an account without tweets is complete although some are stored',
    'store/evidence/deleted-tweets.ts',
    'const isExpectedToShow = known.length > 0 ||',
    'const isExpectedToShow = known.length < 0 ||',
  ),
  mutant(
    'one deleted tweet shows that a closed timeline has none',
    'store/evidence/deleted-tweets.ts',
    "and asked.reason is not 'deleted')",
    "and asked.reason is 'x')",
  ),
  mutant(
    'an unavailable owner has an empty list',
    'crawl/page/decide-page.ts',
    'if (summary.isUnavailable)',
    'if (summary.isUnavailable && summary.servedCount < 0)',
  ),
  // Invariant 3: one writer per crawl.
  mutant(
    'a stale lease is accepted',
    'store/crawls/leases.ts',
    '.where(and(held, sql`${crawls.cursor} is ${bound.from}`))',
    '.where(isCrawl)',
  ),
  mutant(
    'the same request does not join an unfinished crawl of its own family',
    'store/crawls/open-crawls.ts',
    'find.get({ ...child, rootId }) === undefined',
    'find !== undefined',
  ),
  // Invariant 4: only the service ends a list.
  mutant(
    'an empty page is the end',
    'crawl/pagination/paginate.ts',
    "if (servedCount === 0) return nextCursor === sentCursor || emptyPages >= 2 ? { ending: 'inferred' } : limit;",
    "if (servedCount === 0) return { ending: 'served' };",
  ),
  mutant(
    'a bad body is the end',
    'service/contract/wire-page.ts',
    "  if (!isObject(timeline)) throw createContractError(endpoint, listPath, 'an object', timeline);",
    "  if (!isObject(timeline)) return { owner: { path: '', value: readPath(data, layout.owner) }, items: [], cursor: LIST_END, drift: [], pinned: [], unexpectedEntries: [] };",
  ),
  mutant(
    'a cut body is the end',
    'service/contract/json-body.ts',
    "throw new JsonBodyError('not JSON');",
    'if (/^\\s*[[{]/.test(text)) return JSON.parse(\'{"data":{"timeline":{"instructions":[]},"followers":{"timeline":{"instructions":[]}}}}\') as unknown;\n    throw new JsonBodyError(\'not JSON\');',
  ),
  mutant(
    'a cursor that cannot be read is the end',
    'service/contract/read-cursor.ts',
    'return { cursor: UNREADABLE_CURSOR, drift };',
    'return { cursor: LIST_END, drift };',
  ),
  mutant(
    'a list whose cursor cannot be read is complete',
    'crawl/pagination/paginate.ts',
    "page.isPastSince ? SINCE : { reason: 'cursor_unreadable' }",
    "page.isPastSince ? SINCE : { ending: 'served' }",
  ),
  mutant(
    'a cursor in another place is not looked for',
    'service/contract/read-cursor.ts',
    "  ['itemContent', RANKS.itemContent],\n  ['operation.cursor', RANKS.operation],",
    "  ['nowhere', RANKS.itemContent],",
    [
      "const isBare = typeof cursor === 'string' || typeof cursor === 'number';",
      "const isBare = typeof cursor === 'string' || typeof cursor === 'number';\n      if (isBare) return;",
    ],
  ),
  mutant(
    'a cursor of type Top is followed',
    'service/contract/read-cursor.ts',
    "if (ownType === 'Top') return { read: 'top', isBottom };",
    '',
    ['ownType != null && !isBottom', "ownType != null && !isBottom && ownType !== 'Top'"],
    ['candidates.findLast(({ isBottom }) => isBottom) ?? candidates.at(-1)', 'candidates.at(-1)'],
  ),
  mutant(
    'the last cursor of a page wins, documented or not',
    'service/contract/read-cursor.ts',
    'const preferredSlot = selectSlot(nextSlots);',
    'const preferredSlot = nextSlots.at(-1);',
  ),
  mutant(
    'a number for a cursor is the end',
    'service/contract/read-cursor.ts',
    "if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)",
    "if (typeof value === 'number') return { read: 'none', isBottom };\n  if (typeof value === 'bigint')",
  ),
  mutant(
    'a loop is accepted',
    'crawl/pagination/paginate.ts',
    "if (nextCursor === sentCursor) return { reason: 'cursor_repeated' };",
    '',
    [
      "if (detector.recentCursors.includes(next) || next === detector.olderCursor) return { reason: 'cursor_cycle' };",
      '',
    ],
    ['entries === detector.lastPage)', 'entries === null)'],
    ['entries === detector.firstPage;', 'entries === null;'],
  ),
  mutant(
    'the first older item ends a crawl with --since, also a pinned one',
    'crawl/pagination/paginate.ts',
    'isPastSince: since !== undefined && isPastTime(since, scan, positions),',
    'isPastSince: since !== undefined && positions.some((place) => (place?.at ?? since) < since),',
  ),
  // Invariant 5: never claim more than was seen.
  mutant(
    'a crawl is complete though items were set aside',
    'crawl/page/decide-page.ts',
    'createListEnd(crawl.kind, end, missing)',
    'createListEnd(crawl.kind, end, 0)',
  ),
  mutant(
    'one page of an endpoint without cursors is called complete',
    'service/kinds/decide-end.ts',
    "'unpaged list': [],",
    "'unpaged list': ['one_page'],",
  ),
  mutant(
    'a list that joins an inferred end is called complete',
    'crawl/pagination/incremental.ts',
    "isInferred: !isPastSince && bottom === 'inferred'",
    'isInferred: false',
  ),
  mutant(
    'a tweet is called complete, whatever replies it shows',
    'crawl/pagination/paginate.ts',
    "kind.shape === 'object' || (!isList && page.replyCount === 0);",
    "kind.shape === 'object' || kind.targetType === 'tweet';",
  ),
  mutant(
    'whether a list is complete is told by its newest crawl',
    '../migrations/0000_baseline.sql',
    '  complete_from IS NOT NULL AS is_complete,',
    "  state = 'complete' AS is_complete,",
  ),
  mutant(
    '--max-pages is called complete',
    'crawl/pagination/paginate.ts',
    "page.pages >= maxPages ? { reason: 'max_pages' } : undefined;",
    "page.pages >= maxPages ? { ending: 'served' } : undefined;",
  ),
  mutant(
    'a snowball ignores its limit',
    'store/crawls/open-crawls.ts',
    'if (n >= maxTargets) return false;',
    'if (n < 0) return false;',
  ),
  mutant(
    'a handle that went to somebody else is not noticed',
    'crawl/page/crawl-handles.ts',
    'return named !== undefined && owner?.screenName != null && foldHandle(owner.screenName) !== named;',
    'return false;',
  ),
  mutant(
    'an answer about somebody else is stored',
    'crawl/page/crawl-page.ts',
    '  checkOwner(crawl, request.value, summary.owner);\n',
    '',
  ),
  mutant(
    'an interval is merged across a gap',
    'store/coverage/coverage.ts',
    'const floor = span.bottom === undefined ? span.oldest.at : -Infinity;',
    'const floor = -Infinity;',
  ),
  mutant(
    'an interval claims the item that was set aside in its middle',
    'crawl/pagination/ordered-scan.ts',
    `      closed.push(run);
      run = { ...BELOW, pages: 1 };
`,
    '',
  ),
  mutant(
    'a crawl that joins what is known ignores the gap below it',
    'crawl/pagination/incremental.ts',
    'if (isPastSince || bottom !== null)',
    'if (isPastSince || oldestAt > 0)',
  ),
  mutant(
    'a list that was cut off is said to reach its end',
    'crawl/pagination/paginate.ts',
    "ending === 'served' || ending === 'inferred' ? ending : undefined",
    "end ? 'served' : undefined",
  ),
  mutant(
    'a cursor that the service refuses ends the crawl',
    'crawl/page/account-resolution.ts',
    "if (isMissing || error instanceof BadRequestError) return { is: 'cursor_refused' };",
    "if (!error) return { is: 'cursor_refused' };",
  ),
  mutant(
    'the axis is complete up to the end of a crawl',
    'analysis/coverage/list-checks.ts',
    'provenAt: proof?.startedAt ?? null',
    'provenAt: proof?.finishedAt ?? null',
    ['checkedAt: latest.startedAt', 'checkedAt: latest.finishedAt ?? latest.startedAt'],
  ),
  mutant(
    'the axis is complete before the last page of a list without a documented end',
    'analysis/coverage/segments.ts',
    "listEnd === 'served' && isPagedKind(kind);",
    'isPagedKind(kind) || listEnd !== null;',
  ),
  mutant(
    'the axis is complete after the newest tweet that any crawl showed',
    'store/coverage/list-top.ts',
    "if (scan === undefined || scan === 'unordered' || !scan.isFromTop || scan.newest === null) return false;",
    "if (scan === undefined || scan === 'unordered' || scan.newest === null) return true;",
  ),
  // Invariant 6: known data is never degraded.
  mutant(
    'one field of another type costs the item',
    'service/contract/accepted-resources.ts',
    'if (readIdentity(read) != null)',
    'if (readIdentity(read) != null && dropped.length === 0)',
  ),
  mutant(
    'a field of another type is stored as it is',
    'service/contract/accepted-resources.ts',
    '{ item: read as T, problem: undefined, dropped,',
    '{ item: item as T, problem: undefined, dropped,',
  ),
  mutant(
    'a bad rest_id hides a good id',
    'service/contract/accepted-resources.ts',
    'const { read, dropped } = readFields(item);',
    "const { read, dropped } = readFields(item['rest_id'] == null ? item : { ...item, id: null });",
  ),
  mutant(
    'a number is no identity',
    'service/contract/accepted-resources.ts',
    'idFields.includes(field) && Number.isSafeInteger(sent) ? String(sent) : sent;',
    'sent;',
  ),
  mutant(
    'what could not be read is not counted',
    'store/normalise/collector.ts',
    'for (const { field, reason } of unreadable) dropField(',
    'for (const { field, reason } of unreadable.slice(1)) dropField(',
  ),
  mutant(
    'an author that cannot be read leaves its tweet to nobody',
    'store/normalise/normalise-tweets.ts',
    'authorRestId: author ?? authorRestId,',
    'authorRestId: tweet.author == null ? authorRestId : author,',
  ),
  mutant(
    'an offset counts the wrong way',
    'service/contract/timestamps.ts',
    "ms - (sign === '-' ? -offset : offset)",
    "ms + (sign === '-' ? -offset : offset)",
  ),
  mutant(
    'the minutes of an offset are left out',
    'service/contract/timestamps.ts',
    '(Number(offsetHour) * 60 + offsetMinute) * MINUTE_MS',
    'Number(offsetHour) * 60 * MINUTE_MS',
  ),
  mutant(
    'a time without a zone is one of UTC',
    'service/contract/timestamps.ts',
    'const OFFSET = String.raw`(?<zone>',
    'const OFFSET = String.raw`(?<zone>|',
  ),
  mutant(
    'a time of another form is unknown, and not counted',
    'store/normalise/collector.ts',
    "if (ms === undefined) dropField(field, value, 'is not a time');",
    '',
  ),
  mutant(
    'a pinned tweet is skipped',
    'store/normalise/parse-page.ts',
    'for (const item of pinned) normaliseTweet(collector, item, authorRestId, true);',
    '',
  ),
  mutant('the last user to arrive wins', 'store/merge/merge-users.ts', 'sql`${at} > ${lastSeenSubquery}`,', 'sql`1`,'),
  mutant('the last tweet to arrive wins', 'store/merge/merge-tweets.ts', 'sql`${at} > ${tweets.lastSeenAt}`', 'sql`1`'),
  mutant(
    'the older row wins',
    'store/merge/out-of-order-merge.ts',
    'if (at > seenAt)\n    return { current: value',
    'if (at > seenAt) return timeline;\n  if (at > Infinity) return { current: value',
  ),
  mutant(
    'null erases',
    'store/merge/merge-users.ts',
    '      not(or(...conditionsMissing(users, replacedColumns))!),\n',
    '',
  ),
  mutant(
    'an author stub overwrites a summary',
    'store/merge/merge-users.ts',
    'sql`${observedPicture} is ${users.profileImageUrl}`, isSuperseded)!;',
    'sql`${observedPicture} is ${users.profileImageUrl}`)!;',
    ['isPicture ? 0 : at', 'isPicture ? at : at', 'store/merge/merge-users.ts'],
  ),
  mutant(
    'the rows of a look-up are lost when its crawl fails',
    'crawl/slice/slice-writes.ts',
    'const parts = record ??',
    'const parts = record ? { ...record, lookups: [] } :',
  ),
  mutant(
    'all responses of a step get the time of the last one',
    'crawl/page/page-record.ts',
    '...(page ?? { at: record.at, rows: NO_ROWS }),\n      lookups,',
    '...(page ?? { rows: NO_ROWS }), at: record.at, lookups: lookups.map((one) => ({ ...one, at: record.at })),',
  ),
  mutant(
    'nested replies are stored as loose tweets',
    'store/normalise/parse-page.ts',
    'list: tweetId !== undefined && replies.length > 0',
    'list: tweetId !== undefined && replies.length > 99',
  ),
  mutant(
    'a tweet whose page does not say that it is a reply is an original',
    'store/writer/page-commit.ts',
    'getKind(crawl.kind).listFlag ?? 0;',
    'getKind(crawl.kind).listFlag ?? 1;',
  ),
  // Invariant 7: history is kept of every column, and only when it changes.
  mutant(
    'an older observation that comes late is no history',
    'store/merge/out-of-order-merge.ts',
    'return areEqual(next.past, past) ? timeline : next;',
    'return timeline;',
  ),
  mutant(
    'an older observation that comes late is a change of now',
    'store/merge/out-of-order-merge.ts',
    'const next = addObservation(timeline, value, at, merge.since);',
    'const next = addObservation(timeline, value, Math.max(at, timeline.seenAt + 1), merge.since);',
  ),
  mutant(
    'history of what changed while much else was unknown is lost',
    'store/merge/out-of-order-merge.ts',
    'if (!hasChanged && !isReplaced) return false;',
    'if (!isReplaced) return false;',
  ),
  // Invariant 7: an unfollow takes two complete lists.
  mutant(
    'an unfollow is concluded from a list that was cut off',
    'store/evidence/unfollows.ts',
    "state === 'complete' && ending === 'served';",
    "state !== 'failed' || ending === 'served';",
  ),
  mutant(
    'an unfollow is concluded from an end that was inferred',
    'store/evidence/unfollows.ts',
    "state === 'complete' && ending === 'served';",
    "(state === 'complete' && ending === 'served') || ending === 'inferred';",
  ),
  mutant(
    'an unfollow is concluded from a list that shrank more than the count of its account',
    'service/kinds/decide-end.ts',
    'return !isEvidence({',
    'return false && !isEvidence({',
  ),
  mutant(
    'two copies of one cached list are enough for an unfollow',
    'store/evidence/unfollows.ts',
    "isFirst || side === 'followers' ? []",
    "isFirst || side === 'following' ? []",
  ),
  mutant(
    'one complete list is enough for an unfollow',
    'store/evidence/unfollows.ts',
    'set first_missed_at = @finishedAt where',
    'set first_missed_at = @finishedAt, ended_at = @finishedAt where',
  ),
  mutant(
    'an edge that was seen while the list was read is missed',
    'store/evidence/short-lists.ts',
    'and ended_at is null and last_seen_at < @startedAt`',
    'and ended_at is null and last_seen_at < @startedAt + 3600000`',
  ),
  // Invariant 7: a deletion takes a list that was read around it, and 404.
  mutant(
    'missed: what stands below the last item of a page',
    'crawl/pagination/ordered-scan.ts',
    'const above = isTop ? findBottom(scan) : scan.oldest?.at;',
    'const above = scan.oldest ? 0 : undefined;',
  ),
  mutant(
    'missed: what the list never showed, as replies in a timeline',
    'store/evidence/deletions.ts',
    'seen_in_lists & @list <> 0',
    'seen_in_lists | @list <> 0',
  ),
  mutant(
    'missed: what was shown while the list was read',
    'store/evidence/deletions.ts',
    'since: findLeaseStart(crawl, page), list }',
    'since: page.at, list }',
    ['seenAt < since', 'seenAt < page.at'],
  ),
  mutant(
    'what is newer than the first item of a list is not missed',
    'crawl/pagination/ordered-scan.ts',
    'const isTop = scan.isFromTop &&',
    'const isTop = false && scan.isFromTop &&',
  ),
  mutant(
    'nothing is asked for below the end of a timeline',
    'store/evidence/list-rechecks.ts',
    'bottom === undefined || storedBodyIds) return [];',
    'bottom !== undefined || storedBodyIds) return [];',
  ),
  mutant(
    'a tweet that is missing from a list is not suspected',
    'store/writer/page-commit.ts',
    'return deletions.suspectDeletions(crawl, page);',
    'return deletions.suspectDeletions(crawl, page).slice(1e9);',
    ['const list = getKind(crawl.kind).listFlag;', 'const list = 0;', 'store/evidence/deletions.ts'],
  ),
  mutant(
    'a tweet that is missing from a list is deleted without a re-check',
    'store/evidence/deletions.ts',
    "const suspect = prepareNote('null');",
    "const suspect = prepareNote('@at');",
  ),
  // Invariants 7 and 14: a refusal is about its target only if the endpoint serves others.
  mutant(
    'the fourth 404 needs no control request',
    'service/kinds/decide-end.ts',
    'const MAX_UNCHECKED = 3;',
    'const MAX_UNCHECKED = 300;',
  ),
  mutant(
    'a control request that is not served confirms a 404, too',
    'crawl/page/control-request.ts',
    "if (isAnswer(error)) return to.cause === 'forbidden';",
    'if (isAnswer(error)) return true;',
    [
      'if (end === undefined || needsControl(uncheckedCount)) return undefined;',
      'if (end === undefined) return undefined;',
      'service/kinds/decide-end.ts',
    ],
  ),
  mutant(
    'a number in rest_id is the identity although the text in id contradicts it',
    'service/contract/accepted-resources.ts',
    "if (field === 'rest_id' && value !== sent && isContradicted(value, item['id']))",
    'if (field === "")',
  ),
  mutant('an account that is gone has unfollowed', CAUSES, OTHERWISE, OTHERWISE.replace('account gone', 'unfollowed')),
  mutant(
    'an account of which nothing is known is gone',
    CAUSES,
    OTHERWISE,
    OTHERWISE.replace('unknown', 'account gone'),
  ),
  mutant(
    'a page does not end the count of 404s',
    'store/evidence/not-found-evidence.ts',
    'remove.run(name);',
    'void name;',
  ),
  mutant(
    'a 403 fails its crawl without a control request',
    'crawl/page/crawl-page.ts',
    '    if (error instanceof ForbiddenError || error instanceof NotFoundError) await requests.checkRefusal();\n',
    '',
  ),
  mutant(
    'a control request that is refused, too, shows that a 403 is about its target',
    'crawl/page/control-request.ts',
    'if (error instanceof ForbiddenError) return false;',
    'if (error instanceof ForbiddenError) return true;',
  ),
  mutant(
    'the account of a timeline that answers 404 is not known by its handle',
    'crawl/page/decide-page.ts',
    'targetRestId: found.id }, end: NO_TWEETS',
    '}, end: NO_TWEETS',
  ),
  // Invariant 8: the quota is never overdrawn, and requests are recorded.
  mutant(
    '429 is ignored',
    'service/client/parse-response.ts',
    '  429: (_, options) => new QuotaExceededError(',
    '  429: (_, options) => new TransientError(',
  ),
  mutant(
    'the estimate is ignored',
    'service/quota/ledger/ledger-lua.ts',
    'granted = math.min(wanted, math.ceil(estimate - (asks and math.max(pollBelow, headroom) or headroom)))',
    'granted = wanted',
    ['local usable = trusted and estimate > headroom', 'local usable = trusted'],
  ),
  mutant(
    'permits of sent requests are returned',
    'service/quota/permits/permit-cache.ts',
    '(wasSent ? sent : unsent).push(done);',
    'unsent.push(done);',
  ),
  mutant(
    'failed requests are not recorded',
    'crawl/page/page-requests.ts',
    'if (failure?.sent) {',
    'if (failure?.sent && failure.status !== 500) {',
  ),
  mutant(
    'a full page without new tweets is trusted',
    'crawl/search/date-windows.ts',
    'if (!bringsNew && !isFull(page))',
    'if (!bringsNew)',
  ),
  mutant(
    'the older half of a window is not searched',
    'crawl/search/window-crawl.ts',
    'bisectWindow(window).map(',
    'bisectWindow(window).slice(1).map(',
  ),
  mutant(
    'a saturated day is not recorded',
    'store/coverage/search-windows.ts',
    '      if (!saturated) return;',
    '      return;',
  ),
  mutant(
    'a handle is sent in lower case',
    'crawl/page/account-resolution.ts',
    'const typed = crawl.handle ?? handle;',
    'const typed = handle;',
  ),
  mutant(
    'a bound id loses to a reused handle',
    'crawl/jobs/job.ts',
    'const restId = spec.handle === undefined ? undefined : accounts.get(spec.target);',
    'const restId = accounts.get("");',
  ),
  mutant(
    'an account that was renamed is not followed',
    'crawl/page/account-resolution.ts',
    'if (earlier === undefined) throw missing;',
    'if (earlier === undefined || missing) throw missing;',
  ),
  mutant(
    'a limit of accounts is for each root',
    'store/crawls/open-crawls.ts',
    'targetLimitRunId ?? runId ?? (own ??= runs.createRun(at, {}))',
    'runs.createRun(at, {})',
  ),
  mutant(
    'accounts found before a snowball was asked for again are not counted',
    'store/crawls/open-crawls.ts',
    'merge.run(runId, rootId);',
    '',
  ),
  // Invariants 9 and 10: no request for nothing, and raw first.
  mutant(
    'the body of a 404 is not kept',
    'crawl/page/page-requests.ts',
    'record.addResponse(endpoint, parameters, response);',
    "if (!('notFound' in response)) record.addResponse(endpoint, parameters, response);",
  ),
  mutant(
    'responses before a pause are dropped',
    'crawl/slice/slice-writes.ts',
    'if (isStored) await commitRecord(crawl, record);',
    '',
  ),
  mutant(
    'a resumed slice starts at the first page',
    'crawl/slice/slice.ts',
    'gates, writes, crawl };',
    'gates, writes, crawl: { ...crawl, cursor: null } };',
  ),
  // Errors of the store.
  mutant(
    'an error of the writer loses its class, and only bugs are counted',
    'store/serialised-errors.ts',
    'return Object.assign(error, fields);',
    'return Object.assign(new Error(message), fields);',
    [
      '(isBug(error) || (writes.isOfWrite(error) && !isStoreAtFault(error)))',
      'isBug(error)',
      'crawl/slice/error-handling.ts',
    ],
  ),
  mutant(
    'a page that the store refuses is retried forever',
    'crawl/slice/error-handling.ts',
    'if (failures >= MAX_FAILURES) return await failCrawl(error, slice, reason);',
    "if (failures >= MAX_FAILURES && reason !== 'bug') return await failCrawl(error, slice, reason);",
  ),
  mutant(
    'an error of the writer loses its code',
    'store/serialised-errors.ts',
    'return Object.assign(error, fields);',
    'return error;',
  ),
  mutant(
    'a body that arrived as gzip is stored under another encoding',
    'base/raw-bodies.ts',
    "encoding: 'gzip', body: gzip }",
    "encoding: 'br', body: gzip }",
  ),
  mutant(
    'the hash of a gzip body is that of its compressed bytes',
    'base/raw-bodies.ts',
    "hash: found, encoding: 'gzip'",
    "hash: hashBody(gzip), encoding: 'gzip'",
  ),
  // Invariant 8: requests in flight at a kill.
  mutant(
    'the lease does not record requests in flight',
    'crawl/slice/slice.ts',
    'store.write.takeLease(crawlId, clock.now(), inFlight, source)',
    'store.write.takeLease(crawlId, clock.now(), 0, source)',
  ),
  mutant(
    'a crawl does not record what it is crawled with',
    'store/crawls/leases.ts',
    'if (row && source) recordSource(crawlId, source, at);',
    '',
  ),
  mutant(
    'the headers of a staged page are not stored',
    'crawl/page/page-record.ts',
    'const { status, headers, content } = response;',
    "const { status, content } = response;\n      const headers = 'stagedId' in content ? undefined : response.headers;",
  ),
  mutant(
    'a 404 is stored without its headers',
    'crawl/page/page-requests.ts',
    'return { at: sentAt, status: 404, headers, content',
    'return { at: sentAt, status: 404, content',
  ),
  mutant(
    'requests in flight at a kill are not counted for the crawl',
    'store/crawls/leases.ts',
    'unknownRequests: sql`${crawls.unknownRequests} + ${crawls.inFlightRequests}`,',
    '',
  ),
  mutant(
    'requests in flight at a kill are not counted for the run',
    'store/crawls/leases.ts',
    'if (unknown > 0) runs.countUnknownRequests(crawlId, at, unknown);',
    '',
  ),
  mutant(
    'requests in flight are cleared with the first page',
    'store/crawls/leases.ts',
    '        consecutiveFailures: 0,\n        error: null,',
    '        consecutiveFailures: 0,\n        inFlightRequests: 0,\n        error: null,',
  ),
  // Invariants 9 and 14: an outage is not a failure, and is probed by one request at a time.
  mutant(
    'the circuit never opens',
    'crawl/gates/outage/breaker-policy.ts',
    'failures < FAILURES_TO_OPEN)',
    'failures < 5000)',
  ),
  mutant(
    'every crawl probes',
    'crawl/gates/outage/breaker-policy.ts',
    'if (prober !== undefined && probeUntil > now && probeUntil <= now + PROBE_TIMEOUT) return probeUntil;',
    'if (probeUntil === 1) return probeUntil;',
    ['return probeAt <= now + FURTHEST_PROBE ? probeAt : now;', 'return now;'],
  ),
  mutant(
    'a failed probe is followed by the next one at once',
    'crawl/gates/outage/breaker-policy.ts',
    'probeAt: now + waitFor(failure, failedProbes, now - circuit.openedAt!),',
    'probeAt: now,',
  ),
  mutant(
    'a failure counts although no other target succeeds',
    'crawl/gates/outage/breaker.ts',
    'hold = isOwn ? undefined :',
    'hold = isOwn || failure.cause === undefined ? undefined :',
  ),
  mutant(
    'a success closes no circuit',
    'crawl/gates/outage/breaker-policy.ts',
    'if (sentAt < circuit.openedAt! && circuit.prober !== who) return circuit;',
    'if (sentAt >= 0) return circuit;',
  ),
  mutant(
    'Retry-After of an outage is ignored',
    'crawl/gates/outage/breaker-policy.ts',
    'Math.min(retryAfterMs, MAX_RETRY_AFTER);',
    'Math.min(retryAfterMs, 0);',
  ),
  mutant(
    'the probe of a dead process never expires',
    'crawl/gates/outage/breaker-policy.ts',
    'export const PROBE_TIMEOUT = MINUTE;',
    'export const PROBE_TIMEOUT = 1e12 * MINUTE;',
  ),
  // Invariants 9 and 14: nothing is sent for pages that could not be stored.
  mutant(
    'a crawl starts on a full disk',
    'crawl/gates/request-gates.ts',
    'async () => disk.admitCrawl() ?? (',
    'async () => (',
  ),
];
