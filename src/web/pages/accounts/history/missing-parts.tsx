import type { HistoryPart } from '../../../../dashboard/api/account-history.ts';

/** What the store lacks for a panel, with what collects it. */
export const MissingParts = ({ missing }: Pick<HistoryPart, 'missing'>) =>
  missing.length === 0 ? null : (
    <ul class="missing-parts" aria-label="What is missing">
      {missing.map(({ text, command }) => (
        <li key={text}>
          <bdi>{text}</bdi> {command !== null && <code>{command}</code>}
        </li>
      ))}
    </ul>
  );
