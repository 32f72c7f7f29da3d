import { useEffect, useRef, useState } from 'preact/hooks';
import type { Sigma } from 'sigma';
import { navigate } from '../../app/router.ts';
import { colorChanges } from '../../app/theme.ts';
import { hrefOfAccount } from '../../components/account-link.tsx';
import { drawNetwork } from './draw-network.ts';
import type { NetworkScene } from './network-model.ts';

interface PictureProps {
  readonly scene: NetworkScene;
  /** What it shows, in a sentence: the table has the same. */
  readonly description: string;
}

/** The picture of a network. Pointing at an account shows its neighbours, a click opens its page. */
export function NetworkPicture({ scene, description }: PictureProps) {
  const box = useRef<HTMLDivElement>(null);
  const drawing = useRef<Sigma>(undefined);
  const [isLost, setLost] = useState(false);
  const colors = colorChanges.value;
  useEffect(() => {
    try {
      drawing.current = drawNetwork(box.current!, scene);
      drawing.current.on('clickNode', ({ node }) => navigate(hrefOfAccount(scene.data.nodes[Number(node)]!.restId)));
    } catch {
      setLost(true);
    }
    return () => drawing.current?.kill();
  }, [scene, colors]);
  if (isLost || scene.places.length === 0)
    return <p class="banner">The picture cannot be drawn here. The table below has its accounts.</p>;
  return (
    <div class="network-picture">
      <div class="network-canvas" ref={box} role="img" aria-label={description} />
      <div class="network-zoom" role="group" aria-label="Zoom">
        {ZOOMS.map(([label, sign, method]) => (
          <button
            key={label}
            type="button"
            class="button"
            aria-label={label}
            onClick={() => void drawing.current?.getCamera()[method]()}
          >
            {sign}
          </button>
        ))}
      </div>
    </div>
  );
}

const ZOOMS = [
  ['Zoom in', '+', 'animatedZoom'],
  ['Zoom out', '−', 'animatedUnzoom'],
  ['Show the whole picture', '↔', 'animatedReset'],
] as const;
