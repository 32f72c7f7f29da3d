import { useEffect, useRef, useState } from 'preact/hooks';
import type { CheckData, CheckResultData } from '../../../dashboard/api/quality.ts';
import { formatDuration } from '../../../units.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Panel } from '../../components/panel.tsx';
import { now } from '../../live/now.ts';
import { describeFailure, requestJson } from '../../live/request-json.ts';
import { useRead } from '../../live/use-read.ts';

type CheckState =
  | { readonly state: 'waiting' }
  | { readonly state: 'running'; readonly since: number }
  | { readonly state: 'ended'; readonly ms: number; readonly result: CheckResultData };

const LABELS = { ok: 'In order', note: 'Note', wrong: 'Wrong', skipped: 'Not checked' } as const;

/** Runs the checks of `trawl doctor` one after the other, each in a process of the server, until all have ended or they are stopped. */
export function ChecksPanel() {
  const { data: checks } = useRead<CheckData[]>('/api/quality/checks');
  const [states, setStates] = useState<ReadonlyMap<string, CheckState>>();
  const [isRunning, setRunning] = useState(false);
  const stopped = useRef<AbortController>(undefined);
  useEffect(() => () => stopped.current?.abort(), []);

  async function runAll(all: readonly CheckData[]): Promise<void> {
    const mine = new AbortController();
    stopped.current = mine;
    setRunning(true);
    setStates(new Map(all.map(({ name }) => [name, { state: 'waiting' }])));
    const set = (name: string, state: CheckState): void => setStates((known) => new Map(known).set(name, state));
    for (const { name } of all) {
      const since = Date.now();
      set(name, { state: 'running', since: now.peek() });
      const result = await runCheck(name, mine.signal);
      if (mine.signal.aborted) break;
      set(name, { state: 'ended', ms: Date.now() - since, result });
    }
    if (stopped.current !== mine) return;
    setRunning(false);
    if (mine.signal.aborted)
      setStates((known) => new Map(Array.from(known ?? []).filter(([, { state }]) => state === 'ended')));
  }

  const ended = Array.from(states?.values() ?? []).filter(({ state }) => state === 'ended').length;
  return (
    <Panel
      id="checks"
      title="Checks"
      note={
        <span role="status">
          {states
            ? `${ended} of ${checks?.length ?? states.size} checks`
            : 'those of trawl doctor, with all foreign keys'}
        </span>
      }
    >
      {!states && (
        <EmptyState
          title="Not checked yet"
          action={
            checks && (
              <button type="button" class="button" onClick={() => void runAll(checks)}>
                Run checks
              </button>
            )
          }
        >
          They read the whole database, which takes minutes if it is large. Nothing is changed, and no request is sent.
        </EmptyState>
      )}
      {states && checks && (
        <>
          <ul class="checks">
            {checks.map((check) => (
              <Check key={check.name} check={check} state={states.get(check.name)} />
            ))}
          </ul>
          <p class="check-buttons">
            {isRunning ? (
              <button type="button" class="button" onClick={() => stopped.current?.abort()}>
                Stop
              </button>
            ) : (
              <button type="button" class="button" onClick={() => void runAll(checks)}>
                Run checks again
              </button>
            )}
          </p>
        </>
      )}
    </Panel>
  );
}

/** A check that cannot be run has failed. */
async function runCheck(name: string, signal: AbortSignal): Promise<CheckResultData> {
  try {
    return await requestJson<CheckResultData>(`/api/quality/checks/${name}`, { signal });
  } catch (error) {
    return { status: 'wrong', lines: [describeFailure(error)] };
  }
}

function Check({
  check: { name, subject },
  state,
}: {
  readonly check: CheckData;
  readonly state: CheckState | undefined;
}) {
  const result = state?.state === 'ended' ? state.result : undefined;
  const label = result ? LABELS[result.status] : state?.state === 'running' ? 'Running' : state ? 'Waiting' : 'Stopped';
  return (
    <li data-status={result?.status ?? state?.state ?? 'skipped'}>
      <span class="check-status">
        <i aria-hidden="true" />
        {label}
      </span>
      <div>
        <p>
          <strong>{name}</strong> <span class="muted">{subject}</span>
        </p>
        {result?.lines.map((line) => (
          <p key={line}>
            <bdi>{line}</bdi>
          </p>
        ))}
      </div>
      <span class="muted nowrap number">
        {state?.state === 'running' && formatDuration(Math.max(0, now.value - state.since))}
        {state?.state === 'ended' && result?.status !== 'skipped' && formatDuration(state.ms)}
      </span>
    </li>
  );
}
