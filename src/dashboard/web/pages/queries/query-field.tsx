import { capitalise } from '../../../../base/text.ts';
import type { QueryParameterData } from '../../../server/api/queries.ts';
import { InlineCode } from './inline-code.tsx';

interface FieldProps {
  readonly parameter: QueryParameterData;
  readonly value: string;
  /** What is wrong with the value that was run. */
  readonly problem: string | undefined;
  readonly onChange: (value: string) => void;
}

/** What values of a type look like. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  account: 'nasa, @nasa or id:11348282',
  tweet: 'its id or its address',
  time: '2025-01-31 or 30d',
};

/** A parameter of a query, with its description, and what is wrong with its value. */
export function QueryField(props: FieldProps) {
  const { parameter, problem } = props;
  const { name, description, isRequired } = parameter;
  return (
    <div class="field">
      <label for={`field-${name}`}>
        {capitalise(name.replaceAll('_', ' '))}
        {isRequired && <span class="muted"> (required)</span>}
      </label>
      <Control {...props} />
      <p id={`help-${name}`} class="muted">
        <InlineCode text={capitalise(description)} />
      </p>
      {problem !== undefined && (
        <p id={`problem-${name}`} class="bad">
          {capitalise(name.replaceAll('_', ' '))} {problem}
        </p>
      )}
    </div>
  );
}

function Control({ parameter, value, problem, onChange }: FieldProps) {
  const { name, type, form, isRequired, default: normal, choices, suggestions } = parameter;
  const common = {
    id: `field-${name}`,
    'aria-describedby': problem === undefined ? `help-${name}` : `problem-${name} help-${name}`,
    'aria-invalid': problem !== undefined,
    'aria-required': isRequired,
  };
  if (choices)
    return (
      <select
        {...common}
        value={value === '' ? (normal ?? '') : value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {normal === null && <option value="">{isRequired ? 'Choose one' : 'Any'}</option>}
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  return (
    <>
      <input
        {...common}
        dir="auto"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        title={capitalise(form)}
        inputMode={type === 'integer' ? 'numeric' : 'text'}
        list={suggestions.length > 0 ? `list-${name}` : undefined}
        placeholder={normal === null ? PLACEHOLDERS[type] : `${normal} if empty`}
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      {suggestions.length > 0 && (
        <datalist id={`list-${name}`}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
    </>
  );
}
