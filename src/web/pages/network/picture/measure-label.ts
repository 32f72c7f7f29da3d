import { LABEL_FONT } from './label-font.ts';

let context: CanvasRenderingContext2D | undefined;

/** Returns the width of a label in pixels. */
export function measureLabel(text: string): number {
  context ??= document.createElement('canvas').getContext('2d')!;
  context.font = LABEL_FONT;
  return context.measureText(text).width;
}
