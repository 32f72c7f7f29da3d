/** A node that may get a label. */
export interface LabelCandidate {
  readonly node: number;
  readonly text: string;
  /** The centre and the radius of the node in pixels. */
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

/** A label with the left end of its line of text, in pixels. */
export interface PlacedLabel {
  readonly node: number;
  readonly text: string;
  readonly x: number;
  /** The middle of the line. */
  readonly y: number;
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const LINE_HEIGHT = 16;
const SPACE = 4;
/** The characters that are shown; the whole text is in the table. */
const MAX_LENGTH = 24;

/**
 * Places labels beside their nodes, the first candidates first: to the right, to the left, below or above. A label that would
 * cover another one, a node with a label, or the edge of the picture is left out.
 * @param measure returns the width of a text in pixels
 */
export function placeLabels(
  candidates: Iterable<LabelCandidate>,
  { width, height, most, measure }: LabelSpace,
): PlacedLabel[] {
  const taken: Box[] = [];
  const placed: PlacedLabel[] = [];
  const isFree = (box: Box): boolean =>
    box.left >= 0 &&
    box.top >= 0 &&
    box.right <= width &&
    box.bottom <= height &&
    !taken.some((one) => isOverlapping(one, box));
  for (const { node, text, x, y, radius } of candidates) {
    if (placed.length >= most) break;
    const shown = shorten(text);
    const length = measure(shown);
    const reach = radius + SPACE;
    const places: (readonly [left: number, middle: number])[] = [
      [x + reach, y],
      [x - reach - length, y],
      [x - length / 2, y + reach + LINE_HEIGHT / 2],
      [x - length / 2, y - reach - LINE_HEIGHT / 2],
    ];
    const place = places.find(([left, middle]) => isFree(toBox(left, middle, length)));
    if (!place) continue;
    const [left, middle] = place;
    taken.push(toBox(left, middle, length), {
      ...{ left: x - radius, right: x + radius, top: y - radius, bottom: y + radius },
    });
    placed.push({ node, text: shown, x: left, y: middle });
  }
  return placed;
}

/** The space for labels in pixels. */
export interface LabelSpace {
  readonly width: number;
  readonly height: number;
  /** The maximum number of labels. */
  readonly most: number;
  readonly measure: (text: string) => number;
}

const toBox = (left: number, middle: number, length: number): Box => ({
  ...{ left: left - SPACE / 2, right: left + length + SPACE / 2 },
  ...{ top: middle - LINE_HEIGHT / 2, bottom: middle + LINE_HEIGHT / 2 },
});

const isOverlapping = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** Cuts a text between two characters that a reader sees. */
function shorten(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  const characters = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
  return characters.length <= MAX_LENGTH ? text : `${characters.slice(0, MAX_LENGTH - 1).join('')}…`;
}
