import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { colorChanges } from '../../../app/theme.ts';
import type { NetworkDrawing } from './draw-network.ts';
import { measureLabel } from './measure-label.ts';
import { readPalette } from './network-palette.ts';
import type { PictureScene } from './picture-scene.ts';
import { writeSvg } from './write-svg.ts';

interface PictureProps {
  readonly scene: PictureScene;
  /** What it shows, in a sentence: the table has the same. */
  readonly description: string;
  /** The node whose neighbours are shown; -1 for all nodes. */
  readonly active: number;
  readonly onHover: (node: number) => void;
  readonly onSelect: (node: number) => void;
}

/** The picture of a network: with WebGL it can be moved and zoomed, without it is an image. */
export function NetworkPicture(props: PictureProps) {
  const [isDrawable, setDrawable] = useState(hasWebGl);
  return isDrawable ? <LivePicture {...props} onLost={() => setDrawable(false)} /> : <StillPicture {...props} />;
}

function hasWebGl(): boolean {
  const context = document.createElement('canvas').getContext('webgl2');
  // Browsers keep few contexts.
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return context !== null;
}

function LivePicture(props: PictureProps & { readonly onLost: () => void }) {
  const { scene, description, active, onLost } = props;
  const box = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const drawing = useRef<NetworkDrawing>(undefined);
  const changes = colorChanges.value;
  const palette = useMemo(readPalette, [changes]);
  const { model, communities } = scene;

  useEffect(() => {
    let isGone = false;
    const lose = (): void => {
      if (!isGone) onLost();
    };
    void import('./draw-network.ts')
      .then(({ drawNetwork }) => {
        if (isGone) return;
        drawing.current = drawNetwork(box.current!, latest.current.scene, palette, {
          onHover: (node) => latest.current.onHover(node),
          onSelect: (node) => latest.current.onSelect(node),
          onLost: lose,
        });
        drawing.current.highlight(latest.current.active);
      })
      .catch((error: unknown) => {
        // An image is better than nothing, and the console has the cause.
        reportError(error);
        lose();
      });
    return () => {
      isGone = true;
      drawing.current?.end();
      drawing.current = undefined;
    };
  }, [model, communities]);
  useEffect(() => drawing.current?.show(scene, palette), [scene, palette]);
  useEffect(() => drawing.current?.highlight(active), [active]);
  useEffect(() => printCopy(box.current!, () => drawing.current?.copy(readPalette())), []);

  return (
    <div class="network-picture">
      <div class="network-canvas" ref={box} role="img" aria-label={description} />
      <div class="network-zoom" role="group" aria-label="Zoom">
        {ZOOMS.map(([label, factor, path]) => (
          <button
            key={label}
            type="button"
            aria-label={label}
            title={label}
            onClick={() => drawing.current?.zoom(factor)}
          >
            <svg viewBox="0 0 20 20" aria-hidden="true">
              <path d={path} />
            </svg>
          </button>
        ))}
      </div>
      <p class="network-hint">Ctrl or ⌘ and the wheel, or two fingers, zoom.</p>
    </div>
  );
}

/** Shows a copy of the drawing on paper, in the colours and at the size of paper. Returns what ends that. */
function printCopy(box: HTMLElement, createCopy: () => HTMLCanvasElement | undefined): () => void {
  const ended = new AbortController();
  let copy: HTMLCanvasElement | undefined;
  const remove = (): void => copy?.remove();
  const show = (): void => {
    copy = createCopy();
    if (!copy) return;
    copy.className = 'network-print';
    box.after(copy);
  };
  addEventListener('beforeprint', show, ended);
  addEventListener('afterprint', remove, ended);
  return () => {
    ended.abort();
    remove();
  };
}

const ZOOMS = [
  ['Zoom in', 1.6, 'M10 4v12M4 10h12'],
  ['Zoom out', 1 / 1.6, 'M4 10h12'],
  ['Show the whole picture', 1, 'M3 8V3h5M12 3h5v5M17 12v5h-5M8 17H3v-5'],
] as const;

/** The image is scaled down to the page. */
const STILL_SCALE = 1.5;

function StillPicture({ scene, description }: PictureProps) {
  const address = useMemo(() => {
    const svg = writeSvg(
      scene,
      readPalette(),
      { title: description, lines: [], hasLegend: false, labelScale: STILL_SCALE },
      measureLabel,
    );
    return `data:image/svg+xml,${encodeURIComponent(svg)}`;
  }, [scene, description, colorChanges.value]);
  return (
    <div class="network-picture">
      <img class="network-image" src={address} alt={description} />
      <p class="network-hint">This browser has no WebGL: the picture cannot be zoomed.</p>
    </div>
  );
}
