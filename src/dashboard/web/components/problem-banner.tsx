import { toSentence } from '../../../base/text.ts';
import type { AnswerProblem } from '../live/request-json.ts';

/** Says why something was not done, and what to do. */
export const ProblemBanner = ({ title, problem }: { readonly title: string; readonly problem: AnswerProblem }) => (
  <div class="banner error" role="alert">
    <strong>{title}</strong> <bdi>{toSentence(problem.message)}.</bdi>
    {problem.hint !== undefined && (
      <>
        {'\n'}
        <bdi>{problem.hint}</bdi>
      </>
    )}
  </div>
);
