import { prepareAccountCoverage } from '../../../../analysis/coverage/account-coverage.ts';
import { readEvidenceAge } from '../../../../analysis/recheck/evidence-age.ts';
import { toSentence } from '../../../../base/text.ts';
import type { AccountData } from '../../api/accounts.ts';
import { formatStoreCommand } from '../../reader/format-store-command.ts';
import type { ReadContext, ReadRequest } from '../../reader/read.ts';
import { findRestId, readAccountLine } from './account-lines.ts';
import { toListData } from './list-coverage.ts';

/** Reads the page of an account, by `id:…` or its handle; undefined if the store does not have it. */
export function readAccountPage(
  { db, now, settings }: ReadContext,
  { parameters }: ReadRequest,
): AccountData | undefined {
  const restId = findRestId(db, parameters['account'] ?? '');
  const line = restId === undefined ? undefined : readAccountLine(db, restId);
  const coverage = restId === undefined ? undefined : prepareAccountCoverage(db)(restId);
  if (!line || !coverage) return undefined;
  const { account, orderedLists, accountLists } = coverage;
  const formatCommand = (command: string): string => formatStoreCommand(settings, command);
  const { sentence, command } = readEvidenceAge(db, { now, accountIds: [line.restId] });
  return {
    line,
    createdAt: account.createdAt,
    unavailableAt: account.unavailableAt,
    deletions: {
      text: `${toSentence(sentence)}.`,
      command: command === null ? null : formatCommand(command),
    },
    lists: [...orderedLists, ...accountLists].map((list) => toListData(list, formatCommand)),
  };
}
