/** The passes over all nodes; crowded ones need many. */
const PASSES = 60;
/** The space between two nodes. */
const SPACE = 1;

/** Moves nodes that overlap apart, and returns their positions. Both nodes of a pair move along the line between them. */
export function separateNodes(given: Float32Array, radii: Float32Array): Float32Array {
  const at = given.slice();
  const cell = 2 * Math.max(...radii) + SPACE;
  for (let pass = 0; pass < PASSES; pass++) if (!separateOnce(at, radii, cell)) break;
  return at;
}

/** Moves each pair that overlaps. Returns whether there was any. */
function separateOnce(at: Float32Array, radii: Float32Array, cell: number): boolean {
  const grid = new Map<string, number[]>();
  let hasMoved = false;
  for (let i = 0; i < radii.length; i++) {
    const [column, row] = [Math.floor(at[2 * i]! / cell), Math.floor(at[2 * i + 1]! / cell)];
    for (let x = column - 1; x <= column + 1; x++)
      for (let y = row - 1; y <= row + 1; y++)
        for (const j of grid.get(`${x} ${y}`) ?? []) hasMoved = moveApart(at, i, j, radii[i]! + radii[j]!) || hasMoved;
    const key = `${column} ${row}`;
    const neighbours = grid.get(key);
    if (neighbours) neighbours.push(i);
    else grid.set(key, [i]);
  }
  return hasMoved;
}

function moveApart(at: Float32Array, i: number, j: number, radius: number): boolean {
  const [dx, dy] = [at[2 * i]! - at[2 * j]!, at[2 * i + 1]! - at[2 * j + 1]!];
  const distance = Math.hypot(dx, dy);
  const missing = radius + SPACE - distance;
  if (missing <= 0.01) return false;
  // Two nodes in one place part in a direction of their own.
  const [x, y] = distance === 0 ? [Math.cos(i), Math.sin(i)] : [dx / distance, dy / distance];
  at[2 * i]! += (x * missing) / 2;
  at[2 * i + 1]! += (y * missing) / 2;
  at[2 * j]! -= (x * missing) / 2;
  at[2 * j + 1]! -= (y * missing) / 2;
  return true;
}
