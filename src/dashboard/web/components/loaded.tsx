import type { ComponentChildren } from 'preact';
import type { DataState } from '../live/use-data.ts';
import { ProblemBanner } from './problem-banner.tsx';

/** What was read, with why it could not be read again; before that, that it is read, or why there is nothing. */
export const Loaded = <T,>(props: {
  readonly state: DataState<T>;
  /** What failed, as a sentence. */
  readonly failure: string;
  /** What leads on from a page without data. */
  readonly instead?: ComponentChildren;
  readonly children: (data: T) => ComponentChildren;
}) => {
  const { data, problem } = props.state;
  return (
    <>
      {problem && <ProblemBanner title={props.failure} problem={problem} />}
      {data !== undefined ? props.children(data) : problem ? props.instead : <p class="loading">Reading…</p>}
    </>
  );
};
