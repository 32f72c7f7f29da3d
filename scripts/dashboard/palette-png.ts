import { crc32, deflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';

/** Pixels as red, green, blue and alpha. */
interface Bitmap {
  readonly width: number;
  readonly height: number;
  readonly pixels: Buffer;
}

/** A PNG has at most so many colours in its palette. */
const MAX_COLORS = 256;

/**
 * Takes a picture of the window as a PNG with a palette: a third of the size of a PNG with all colours. No part of a colour
 * changes by more than some steps of 255.
 */
export async function takePalettePicture(page: Page): Promise<Buffer> {
  return encodePalette(await decode(page, await page.screenshot()));
}

/** Decodes a PNG in a page without content policy. */
async function decode(page: Page, png: Buffer): Promise<Bitmap> {
  const blank = await page.context().newPage();
  const source = JSON.stringify(`data:image/png;base64,${png.toString('base64')}`);
  const { width, height, text } = await blank.evaluate<{ width: number; height: number; text: string }>(`(async () => {
    const image = await createImageBitmap(await (await fetch(${source})).blob());
    const { width, height } = image;
    const context = new OffscreenCanvas(width, height).getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    let text = '';
    for (let i = 0; i < data.length; i += 32768) text += String.fromCharCode(...data.subarray(i, i + 32768));
    return { width, height, text: btoa(text) };
  })()`);
  await blank.close();
  return { width, height, pixels: Buffer.from(text, 'base64') };
}

function encodePalette({ width, height, pixels }: Bitmap): Buffer {
  const counts = new Map<number, number>();
  const colorAt = (i: number): number => pixels.readUIntBE(i, 3);
  for (let i = 0; i < pixels.length; i += 4) counts.set(colorAt(i), (counts.get(colorAt(i)) ?? 0) + 1);
  const colors = [...counts].toSorted((a, b) => b[1] - a[1]).map(([color]) => color);
  const { palette, indexes } = choosePalette(colors);
  // Each row begins with the byte of its filter: none.
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = indexes.get(colorAt(4 * (y * width + x)))!;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3], 8);
  return Buffer.concat([
    Buffer.from('\u0089PNG\r\n\u001A\n', 'latin1'),
    encodeChunk('IHDR', head),
    encodeChunk('PLTE', Buffer.from(palette.flatMap(splitColor))),
    encodeChunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    encodeChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Joins each color to a more frequent one that is near: as near as a palette allows. @param colors the most frequent first */
function choosePalette(colors: readonly number[]): { palette: number[]; indexes: Map<number, number> } {
  for (let distance = 0; ; distance++) {
    const palette: number[] = [];
    const indexes = new Map<number, number>();
    for (const color of colors) {
      const near = palette.findIndex((other) => measureDistance(color, other) <= distance);
      indexes.set(color, near >= 0 ? near : palette.push(color) - 1);
      if (palette.length > MAX_COLORS) break;
    }
    if (palette.length <= MAX_COLORS) return { palette, indexes };
  }
}

const splitColor = (color: number): [red: number, green: number, blue: number] => [
  color >> 16,
  (color >> 8) & 255,
  color & 255,
];

const measureDistance = (a: number, b: number): number =>
  Math.max(...splitColor(a).map((part, i) => Math.abs(part - splitColor(b)[i]!)));

function encodeChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
