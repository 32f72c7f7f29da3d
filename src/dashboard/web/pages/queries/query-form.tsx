import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { QueryData } from '../../../server/api/queries.ts';
import type { QueryAddress } from './query-address.ts';
import { QueryField } from './query-field.tsx';

/** The parameters of a query, and the button that runs it. */
export function QueryForm(props: {
  readonly query: QueryData;
  readonly given: QueryAddress;
  /** What is wrong with the values that were run, by parameter. */
  readonly problems: Readonly<Record<string, string>>;
  readonly onRun: (values: Readonly<Record<string, string>>) => void;
  readonly children: ComponentChildren;
}) {
  const { query, given, problems, onRun, children } = props;
  const { parameters } = query;
  const [values, setValues] = useState(given.values);
  const form = useRef<HTMLFormElement>(null);
  const typed = JSON.stringify(given.values);
  // Another address, such as that of an earlier page.
  useEffect(() => setValues(given.values), [typed]);
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
    onRun(Object.fromEntries(used));
  }

  return (
    <form ref={form} class="panel form" onSubmit={run} noValidate>
      {parameters.length > 0 && (
        <div class="columns">
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
      <div class="row">
        <button class="button main">Run</button>
        {children}
      </div>
      <About query={query} />
    </form>
  );
}

/** What the query needs, and its statement. */
const About = ({ query: { needs, sql } }: { readonly query: QueryData }) => (
  <div class="more">
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
