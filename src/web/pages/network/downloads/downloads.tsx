import { formatNetworkQuery, readNetworkAddress } from '../network-address.ts';
import { measureLabel } from '../picture/measure-label.ts';
import { readPalette } from '../picture/network-palette.ts';
import type { PictureScene } from '../picture/picture-scene.ts';
import { writeSvg } from '../picture/write-svg.ts';
import { writeNodeCsv } from './write-node-csv.ts';

interface DownloadProps {
  /** What the picture shows; undefined while it is computed. */
  readonly scene: PictureScene | undefined;
  readonly shown: readonly number[];
  readonly title: string;
  readonly lines: readonly string[];
}

/** The network as files: GEXF and edges from the server, the picture and its nodes as they are on the page. */
export function Downloads({ scene, shown, title, lines }: DownloadProps) {
  const query = formatNetworkQuery(readNetworkAddress());
  const saveNodes = (): void => {
    if (scene) save('network-nodes.csv', 'text/csv', writeNodeCsv(scene.model, scene.communities, shown));
  };
  const saveSvg = (): void => {
    if (!scene) return;
    save(
      'network.svg',
      'image/svg+xml',
      writeSvg(scene, readPalette(), { title, lines, hasLegend: true }, measureLabel),
    );
  };
  return (
    <div class="network-downloads" role="group" aria-label="Download">
      <span class="muted">Download</span>
      <a class="button small" href={`/api/network/network.gexf?${query}`} download>
        GEXF
      </a>
      <a class="button small" href={`/api/network/edges.csv?${query}`} download>
        Edges (CSV)
      </a>
      <button type="button" class="button small" disabled={!scene} onClick={saveNodes}>
        Nodes (CSV)
      </button>
      <button type="button" class="button small" disabled={!scene} onClick={saveSvg}>
        Picture (SVG)
      </button>
    </div>
  );
}

/** Saves a text as a file of the user. */
function save(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  Object.assign(link, { href: url, download: name });
  link.click();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
