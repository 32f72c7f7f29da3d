/** What the store lacks, with the command that collects it. */
export const MissingList = (props: {
  readonly label?: string;
  readonly missing: readonly { readonly text: string; readonly command: string | null }[];
}) =>
  props.missing.length === 0 ? null : (
    <ul class="missing" aria-label={props.label ?? 'Missing data'}>
      {props.missing.map(({ text, command }) => (
        <li key={text}>
          <bdi>{text}</bdi> {command !== null && <code>{command}</code>}
        </li>
      ))}
    </ul>
  );
