/** The colours of a picture in the theme on the screen, as `#rrggbb`. */
export interface NetworkPalette {
  readonly panel: string;
  readonly ink: string;
  readonly muted: string;
  readonly edge: string;
  /** The colour of a community: `Community.color`. */
  of(color: string): string;
}

/** Reads the colours of the style sheet. They change with the theme. */
export function readPalette(): NetworkPalette {
  const cached = new Map<string, string>();
  const of = (name: string): string => cached.get(name) ?? cached.set(name, readColor(name)).get(name)!;
  return { panel: of('panel'), ink: of('ink'), muted: of('muted'), edge: of('network-edge'), of };
}

/** Returns a custom property as `#rrggbb`. */
function readColor(name: string): string {
  const probe = document.createElement('i');
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const channels = getComputedStyle(probe).color.match(/\d+/g)!;
  probe.remove();
  return `#${channels
    .slice(0, 3)
    .map((channel) => Number(channel).toString(16).padStart(2, '0'))
    .join('')}`;
}
