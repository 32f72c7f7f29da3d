import { useState } from 'preact/hooks';
import type { QueryResultData } from '../../../server/api/queries.ts';
import { Loaded } from '../../components/loaded.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryAnswer } from '../../components/query-answer.tsx';
import { useData } from '../../live/use-data.ts';

/** Saved queries about an account, with their titles here. Those with a chart are drawn. */
const QUESTIONS = [
  ['followers-over-time', 'Followers over time', true],
  ['followers-gained-and-lost', 'Followers gained and lost', true],
  ['profile-changes', 'Profile and handle', false],
  ['edited-tweets', 'Edited tweets', false],
  ['activity-by-hour', 'Posting activity by hour', true],
  ['top-tweets', 'Top posts by likes', false],
] as const;

/** How an account changed, when it writes, and its most liked tweets: each is read when it is opened. */
export const AccountQuestions = ({ restId }: { readonly restId: string }) => (
  <Panel id="history" title="History" note="answers of saved queries">
    {QUESTIONS.map(([name, title, hasChart]) => (
      <Question key={name} name={name} title={title} account={`id:${restId}`} hasChart={hasChart} />
    ))}
  </Panel>
);

interface QuestionProps {
  readonly name: string;
  readonly title: string;
  readonly account: string;
  readonly hasChart: boolean;
}

function Question({ name, title, account, hasChart }: QuestionProps) {
  const [isOpen, setOpen] = useState(false);
  const address = `account=${encodeURIComponent(account)}`;
  const width = hasChart ? '&chart-width=640' : '';
  const state = useData<QueryResultData>(isOpen ? `/api/queries/${name}/result?${address}${width}` : undefined, false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && (
        <Loaded state={state} failure="There is no answer.">
          {(result) => <QueryAnswer result={result} />}
        </Loaded>
      )}
      <p class="more">
        <a href={`/queries/${name}?${address}${hasChart ? '&view-as=chart' : ''}&run-now=1`}>Open the query</a>
      </p>
    </details>
  );
}
