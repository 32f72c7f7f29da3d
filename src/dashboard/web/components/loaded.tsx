import type { ComponentChildren } from 'preact';
import { type DataState, useData } from '#dashboard/web/live/use-data.ts';
import { PageFrame, ProblemBanner } from './page-frame.tsx';

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

/** A page of what is read from one path. Its title and links are there before the data, which are undefined until then. */
export function DataPage<T>(props: {
  readonly path: string;
  /** Whether it is read again when the store changes; by default it is. */
  readonly isLive?: boolean;
  /** What failed, as a sentence. */
  readonly failure: string;
  readonly title: (data: T | undefined) => ComponentChildren;
  readonly facts?: (data: T) => readonly ComponentChildren[];
  readonly links?: (data: T | undefined) => ComponentChildren;
  readonly children: (data: T) => ComponentChildren;
}) {
  const { path, isLive, failure, title, facts, links } = props;
  const state = useData<T>(path, isLive);
  return (
    <PageFrame title={title(state.data)} facts={state.data && facts?.(state.data)} links={links?.(state.data)}>
      <Loaded state={state} failure={failure}>
        {props.children}
      </Loaded>
    </PageFrame>
  );
}
