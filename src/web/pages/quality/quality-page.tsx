import type { QualityData } from '../../../dashboard/api/quality.ts';
import { ProblemBanner } from '../../components/problem-banner.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { useRead } from '../../live/use-read.ts';
import { ChecksPanel } from './checks-panel.tsx';
import { DriftPanel } from './drift-panel.tsx';
import { FieldsPanel } from './fields-panel.tsx';
import { DroppedPanel, RejectsPanel } from './reject-panels.tsx';
import './quality.css';

/** What could not be stored, what the service sends differently, and how complete the stored fields are. */
export function QualityPage() {
  const { data, problem } = useRead<QualityData>('/api/quality');
  return (
    <div class="page quality-page">
      <header class="page-header">
        <h1>Quality</h1>
        <p class="data-age">
          {data && (
            <span>
              Read <TimeAgo at={data.at} />
            </span>
          )}
          <span>Days and times in UTC</span>
        </p>
      </header>
      {problem && <ProblemBanner title="The quality could not be read." problem={problem} />}
      {data && data.changes.length > 0 && <Changes changes={data.changes} />}
      {data ? (
        <RejectsPanel rejects={data.rejects} hasPages={data.hasPages} />
      ) : (
        problem === undefined && <p class="loading">Reading…</p>
      )}
      {data && data.dropped.groupCount > 0 && <DroppedPanel dropped={data.dropped} />}
      {data && <DriftPanel drift={data.drift} hasPages={data.hasPages} />}
      <FieldsPanel />
      <ChecksPanel />
    </div>
  );
}

const Changes = ({ changes }: Pick<QualityData, 'changes'>) => (
  <section class="banner error" aria-labelledby="changes">
    <h2 id="changes">The service has changed</h2>
    <ul>
      {changes.map((change) => (
        <li key={change}>
          <bdi>{change}</bdi>
        </li>
      ))}
    </ul>
  </section>
);
