import { toLine } from '../../../analysis/sql/printable-text.ts';
import { type CheckResult, failCheck, type FormatHint, note, ok, wrong } from '../../../doctor/finding.ts';
import { checkNode, DEEP_STORE_CHECKS, STORE_CHECKS, type StoreCheck } from '../../../doctor/store-checks.ts';
import type { CheckData, CheckResultData } from '../../api/quality.ts';
import { createHintFormat } from '../../reader/format-store-command.ts';
import type { QueueReading, ReadContext, ReadRequest } from '../../reader/read.ts';

/** A check of `trawl doctor` as a dashboard runs it: it only reads, sends no request, and starts no Redis. */
interface Check {
  readonly subject: string;
  readonly run: (context: ReadContext, queue: QueueReading, hint: FormatHint) => CheckResult | 'skipped';
}

/** The checks in the order of `trawl doctor --deep`. */
const CHECKS: Readonly<Record<string, Check>> = {
  node: { subject: 'The version of Node', run: checkNode },
  service: { subject: 'The service and the API key', run: () => 'skipped' },
  database: { subject: 'The whole file of the database', run: ofStore(STORE_CHECKS.database) },
  fields: { subject: 'The fields that the service sends', run: ofStore(STORE_CHECKS.fields) },
  jobs: { subject: 'The last runs of scheduled jobs', run: ofStore(STORE_CHECKS.jobs) },
  erasures: { subject: 'Forgotten accounts', run: ofStore(STORE_CHECKS.erasures) },
  redis: { subject: 'The Redis of the queue', run: (_, queue, hint) => checkQueue(queue, hint) },
  disk: { subject: 'Free space and growth', run: ofStore(STORE_CHECKS.disk) },
  keys: { subject: 'All foreign keys of the database', run: ofStore(DEEP_STORE_CHECKS.keys) },
};

export const listChecks = (): CheckData[] => Object.entries(CHECKS).map(([name, { subject }]) => ({ name, subject }));

/** Runs a check; undefined if there is no such check. A check that fails is wrong, as in `trawl doctor`. */
export function runCheck(context: ReadContext, { parameters, queue }: ReadRequest): CheckResultData | undefined {
  const name = parameters['check'] ?? '';
  const check = Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined;
  if (!check) return undefined;
  const hint = createHintFormat(context.settings);
  const result = tryCheck(() => check.run(context, queue, hint), hint);
  if (result === 'skipped')
    return {
      status: 'skipped',
      lines: [`Not checked here: a dashboard sends no request. ${hint('doctor')} checks it.`],
    };
  return { status: result.status, lines: result.message.split('\n').map((line) => toLine(line.trim(), MAX_WIDTH)) };
}

/** A message names several fields or jobs. */
const MAX_WIDTH = 2000;

function tryCheck(run: () => CheckResult | 'skipped', hint: FormatHint): CheckResult | 'skipped' {
  try {
    return run();
  } catch (error) {
    return failCheck(error, hint);
  }
}

function ofStore(check: StoreCheck): Check['run'] {
  return ({ db, settings: { path, minFree }, now }, _, hint) => check(db, { path, minFree, now, hint });
}

/** `trawl doctor` starts a Redis; a dashboard looks whether one is running. */
function checkQueue(queue: QueueReading, hint: FormatHint): CheckResult {
  if (queue === undefined) return note(`no queue is running: ${hint('work')} starts one`);
  return 'problem' in queue ? wrong(queue.problem) : ok(queue.description);
}
