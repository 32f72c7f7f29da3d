import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useAttempt } from '../live/use-attempt.ts';
import { Field, type FormField } from './form-field.tsx';

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
