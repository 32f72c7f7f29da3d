import type { ComponentChildren } from 'preact';
import { capitalise } from '../../../../base/text.ts';
import type { QueryData, QueryParameterData } from '../../../server/api/queries.ts';
import type { FormField } from '../../components/form-field.tsx';
import { Form, type FormValues } from '../../components/form.tsx';
import { InlineCode } from './inline-code.tsx';

/** The parameters of a query, and the button that runs it. */
export const QueryForm = (props: {
  readonly query: QueryData;
  /** The values of the address. */
  readonly given: FormValues;
  /** What is wrong with the values that were run, by parameter. */
  readonly problems: Readonly<Record<string, string>>;
  /** Gets the values; that of a parameter is empty if it is the default. */
  readonly onRun: (values: FormValues) => void;
  readonly children: ComponentChildren;
}) => {
  const { parameters } = props.query;
  return (
    <Form
      fields={parameters.map((parameter) => ({
        ...toField(parameter, props.problems[parameter.name]),
        value: props.given[parameter.name] ?? (parameter.choices && parameter.default) ?? '',
      }))}
      action="Run"
      onSubmit={(values) => {
        const used = parameters.map(({ name, default: normal }) => {
          const value = values[name]!;
          return [name, value.trim() === '' || value === normal ? '' : value];
        });
        props.onRun(Object.fromEntries(used));
      }}
    >
      {props.children}
    </Form>
  );
};

/** What values of a type look like. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  account: 'nasa, @nasa or id:11348282',
  tweet: 'its id or its address',
  time: '2025-01-31 or 30d',
};

function toField(parameter: QueryParameterData, problem: string | undefined): Omit<FormField, 'value'> {
  const { name, type, description, isRequired, default: normal, choices, suggestions } = parameter;
  const label = capitalise(name.replaceAll('_', ' '));
  const hint = capitalise(description);
  const none = normal === null ? { '': isRequired ? 'Choose one' : 'Any' } : {};
  return {
    name,
    label,
    isRequired,
    suggestions,
    type: type === 'integer' ? type : undefined,
    choices: choices ? { ...none, ...Object.fromEntries(choices.map((choice) => [choice, choice])) } : undefined,
    placeholder: normal === null ? PLACEHOLDERS[type] : `${normal} if empty`,
    // `The account` says no more than the label does.
    hint: hint === `The ${name}` ? undefined : <InlineCode text={hint} />,
    problem: problem && `${label} ${problem}`,
  };
}
