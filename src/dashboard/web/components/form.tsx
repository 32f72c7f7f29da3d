import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useLayoutEffect } from 'preact/hooks';
import { useAttempt } from '#dashboard/web/live/use-attempt.ts';

/** The values of a form by field. */
export type FormValues = Readonly<Record<string, string>>;

/** Fields with a button that submits them. What was typed is kept until another value is given for its field. */
export function Form(props: {
  readonly fields: readonly FormField[];
  /** The text of the button. */
  readonly action: string;
  /** Its error is shown. */
  readonly onSubmit: (values: FormValues) => void | Promise<void>;
  /** Whether the choice of a value submits the form, too. */
  readonly isLive?: boolean;
  readonly class?: string;
  /** Beside the button. */
  readonly children?: ComponentChildren;
}) {
  const { fields, isLive = false } = props;
  const { isBusy, problem, attempt } = useAttempt();
  const form = useRef<HTMLFormElement>(null);
  const wrong = fields.filter((field) => field.problem !== undefined).map(({ name }) => name);
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(), [wrong.join()]);

  function submit(event: Event): void {
    event.preventDefault();
    const data = new FormData(form.current!);
    const values = fields.map(({ name }) => [name, (data.get(name) ?? '') as string]);
    void attempt(() => props.onSubmit(Object.fromEntries(values)));
  }

  return (
    <form
      ref={form}
      class={props.class ?? 'panel form'}
      noValidate
      onSubmit={submit}
      onChange={(event) => {
        if (isLive && (event.target as Element).matches('select, [type="checkbox"]')) submit(event);
      }}
    >
      <div class="fields">
        {fields.map((field) => (
          <Field key={field.name} {...field} />
        ))}
      </div>
      <p role="alert" class="bad">
        {problem}
      </p>
      <div class="row">
        <button class="button main" aria-busy={isBusy}>
          {props.action}
        </button>
        {props.children}
      </div>
    </form>
  );
}

/** A field of a form. */
export interface FormField {
  /** Unique on the page. */
  readonly name: string;
  readonly label: string;
  /** What it shows until somebody changes it; if it is another one later, it is shown instead. */
  readonly value: string;
  /** By default a line of text; `lines` are several. A `flag` is a checkbox: its value is `1` or empty. */
  readonly type?: 'search' | 'integer' | 'date' | 'lines' | 'flag' | undefined;
  /** The titles of the only values. */
  readonly choices?: Readonly<Record<string, string>> | undefined;
  readonly onChoose?: (value: string) => void;
  /** Values to choose from, beside any other one. */
  readonly suggestions?: readonly string[];
  readonly placeholder?: string | undefined;
  readonly isRequired?: boolean;
  /** What the value means. */
  readonly hint?: ComponentChildren;
  /** What is wrong with the value. */
  readonly problem?: string | undefined;
}

/** A field with its label, its hint, and what is wrong with its value. */
export function Field(field: FormField) {
  const { name, label, value, type, isRequired, hint, problem } = field;
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const control = box.current!.querySelector<HTMLInputElement>(`[name="${name}"]`)!;
    if (type === 'flag') control.checked = value !== '';
    else control.value = value;
  }, [value]);
  const id = `field-${name}`;
  return (
    <div ref={box} class={`field ${type ?? ''}`}>
      <label for={id}>
        {label}
        {isRequired && <span class="muted"> (required)</span>}
      </label>
      <Control {...field} />
      {hint && (
        <div id={`${id}-hint`} class="muted">
          {hint}
        </div>
      )}
      {problem && (
        <p id={`${id}-problem`} class="bad">
          {problem}
        </p>
      )}
    </div>
  );
}

function Control({
  name,
  type,
  choices,
  onChoose,
  suggestions = [],
  placeholder,
  isRequired,
  hint,
  problem,
}: FormField) {
  const id = `field-${name}`;
  const common = {
    id,
    name,
    dir: 'auto',
    'aria-describedby': [problem && `${id}-problem`, hint && `${id}-hint`].filter(Boolean).join(' '),
    'aria-invalid': problem !== undefined,
    'aria-required': isRequired,
  } as const;
  if (choices)
    return (
      <select {...common} onChange={({ currentTarget }) => onChoose?.(currentTarget.value)}>
        {Object.entries(choices).map(([choice, title]) => (
          <option key={choice} value={choice}>
            {title}
          </option>
        ))}
      </select>
    );
  if (type === 'flag') return <input {...common} type="checkbox" value="1" />;
  if (type === 'lines') return <textarea {...common} rows={5} spellcheck={false} />;
  return (
    <>
      <input
        {...common}
        type={type === 'integer' ? 'text' : (type ?? 'text')}
        inputMode={type === 'integer' ? 'numeric' : undefined}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        list={suggestions.length > 0 ? `${id}-list` : undefined}
        placeholder={placeholder}
      />
      <datalist id={`${id}-list`}>
        {suggestions.map((suggestion) => (
          <option key={suggestion} value={suggestion} />
        ))}
      </datalist>
    </>
  );
}
