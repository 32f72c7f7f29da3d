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

/** One of several values. @param choices the titles by value */
export const Selection = (props: {
  readonly label: string;
  readonly choices: Readonly<Record<string, string>>;
  readonly chosen: string;
  readonly onChoose: (value: string) => void;
}) => (
  <label class="row">
    {props.label}
    <select
      value={props.chosen}
      onChange={({ currentTarget: { value } }) => {
        if (value !== props.chosen) props.onChoose(value);
      }}
    >
      {Object.entries(props.choices).map(([value, title]) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
    </select>
  </label>
);
