/** Buttons of which one is pressed. @param choices the titles by value */
export const Choices = <T extends string>(props: {
  readonly label: string;
  readonly choices: Readonly<Record<T, string>>;
  readonly chosen: T;
  readonly onChoose: (value: T) => void;
}) => (
  <div class="choices" role="group" aria-label={props.label}>
    {(Object.keys(props.choices) as T[]).map((value) => (
      <button key={value} type="button" aria-pressed={value === props.chosen} onClick={() => props.onChoose(value)}>
        {props.choices[value]}
      </button>
    ))}
  </div>
);
