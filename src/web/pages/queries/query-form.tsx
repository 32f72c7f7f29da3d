import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { QueryData } from '../../../dashboard/api/queries.ts';
import { type QueryAddress, TIME_LIMITS } from './query-address.ts';
import { QueryField } from './query-field.tsx';

/** The parameters of a query, its time limit, and the button that runs it. */
export function QueryForm(props: {
  readonly query: QueryData;
  readonly given: QueryAddress;
  /** What is wrong with the values that were run, by parameter. */
  readonly problems: Readonly<Record<string, string>>;
  readonly onRun: (values: Readonly<Record<string, string>>, timeLimit: string) => void;
  readonly children: ComponentChildren;
}) {
  const { query, given, problems, onRun, children } = props;
  const { parameters } = query;
  const [values, setValues] = useState(given.values);
  const [timeLimit, setTimeLimit] = useState(given.timeLimit);
  const form = useRef<HTMLFormElement>(null);
  const typed = JSON.stringify(given.values);
  // Another address, such as that of an earlier page.
  useEffect(() => {
    setValues(given.values);
    setTimeLimit(given.timeLimit);
  }, [typed, given.timeLimit]);
  const wrong = Object.keys(problems).join();
  useEffect(() => {
    if (wrong !== '') form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [wrong]);

  function run(event: SubmitEvent): void {
    event.preventDefault();
    const used = parameters.flatMap(({ name, default: normal }) => {
      const value = values[name] ?? '';
      return value.trim() === '' || value === normal ? [] : [[name, value] as const];
    });
    onRun(Object.fromEntries(used), timeLimit);
  }

  return (
    <form ref={form} class="panel query-form" onSubmit={run} noValidate>
      {parameters.length > 0 && (
        <div class="query-fields">
          {parameters.map((parameter) => (
            <QueryField
              key={parameter.name}
              parameter={parameter}
              value={values[parameter.name] ?? ''}
              problem={problems[parameter.name]}
              onChange={(value) => setValues({ ...values, [parameter.name]: value })}
            />
          ))}
        </div>
      )}
      <div class="query-run">
        <button class="button main">Run</button>
        <label class="time-limit">
          Time limit
          <select value={timeLimit} onChange={({ currentTarget }) => setTimeLimit(currentTarget.value)}>
            {Object.entries({
              ...(timeLimit in TIME_LIMITS ? {} : { [timeLimit]: `${timeLimit} s` }),
              ...TIME_LIMITS,
            }).map(([seconds, title]) => (
              <option key={seconds} value={seconds}>
                {title}
              </option>
            ))}
          </select>
        </label>
        {children}
      </div>
      <About query={query} />
    </form>
  );
}

/** What the query needs, and its statement. */
const About = ({ query: { needs, sql } }: { readonly query: QueryData }) => (
  <div class="query-about">
    {needs.length > 0 && (
      <details>
        <summary>What has to be collected</summary>
        <ul>
          {needs.map(({ text, command }) => (
            <li key={text}>
              {text} {command !== null && <code>{command}</code>}
            </li>
          ))}
        </ul>
      </details>
    )}
    <details>
      <summary>Statement</summary>
      <pre tabIndex={0}>{sql}</pre>
    </details>
  </div>
);
