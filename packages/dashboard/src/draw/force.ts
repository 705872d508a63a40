/** Places of nodes, and edges as pairs of positions in them. */
export interface Layout {
  readonly x: Float32Array
  readonly y: Float32Array
  readonly edges: Uint32Array
}

const GOLDEN = Math.PI * (3 - Math.sqrt(5))
/** About as far as linked nodes end up from each other. */
const SPACING = 30

/** Nodes on a spiral, those with the most edges in the middle: a start from which few rounds are needed. */
export function createLayout(count: number, edges: Uint32Array): Layout {
  const degrees = degreesOf(count, edges)
  const order = Array.from({ length: count }, (_, at) => at).toSorted(
    (one, other) => (degrees[other] ?? 0) - (degrees[one] ?? 0) || one - other,
  )
  const [x, y] = [new Float32Array(count), new Float32Array(count)]
  for (const [rank, node] of order.entries()) {
    const radius = SPACING * 0.6 * Math.sqrt(rank)
    x[node] = radius * Math.cos(rank * GOLDEN)
    y[node] = radius * Math.sin(rank * GOLDEN)
  }
  return { x, y, edges }
}

export function degreesOf(count: number, edges: Uint32Array): Uint16Array {
  const degrees = new Uint16Array(count)
  for (const end of edges) degrees[end] = (degrees[end] ?? 0) + 1
  return degrees
}

/** Nodes between two chances to stop. */
const AT_ONCE = 250
const CELLS = 20

/**
 * Moves linked nodes together and all others apart. Far nodes push as one with those of their cell of a grid, so that a round
 * grows with the nodes and not with their pairs. Yields often, so that a frame can be drawn in between.
 */
export function* settle(
  { x, y, edges }: Layout,
  rounds: number,
  gravity = 0.001,
): Generator<number> {
  const count = x.length
  const [dx, dy] = [new Float32Array(count), new Float32Array(count)]
  for (let round = 0; round < rounds; round += 1) {
    const heat = SPACING * (1 - round / rounds)
    const grid = toGrid(x, y)
    for (let from = 0; from < count; from += AT_ONCE) {
      for (let node = from; node < Math.min(count, from + AT_ONCE); node += 1)
        push(node, { x, y, dx, dy }, grid)
      yield round / rounds
    }
    for (let e = 0; e < edges.length; e += 2) pull(edges[e] ?? 0, edges[e + 1] ?? 0)
    for (let node = 0; node < count; node += 1) {
      const [mx, my] = [dx[node] ?? 0, dy[node] ?? 0]
      const length = Math.hypot(mx, my) || 1
      const step = Math.min(length, heat) / length
      x[node] = ((x[node] ?? 0) + mx * step) * (1 - gravity)
      y[node] = ((y[node] ?? 0) + my * step) * (1 - gravity)
    }
    dx.fill(0)
    dy.fill(0)
  }

  function pull(one: number, other: number): void {
    const [ax, ay] = [(x[other] ?? 0) - (x[one] ?? 0), (y[other] ?? 0) - (y[one] ?? 0)]
    const force = Math.hypot(ax, ay) / SPACING / 4
    dx[one] = (dx[one] ?? 0) + ax * force * 0.5
    dy[one] = (dy[one] ?? 0) + ay * force * 0.5
    dx[other] = (dx[other] ?? 0) - ax * force * 0.5
    dy[other] = (dy[other] ?? 0) - ay * force * 0.5
  }
}

interface Grid {
  readonly cellOf: (x: number, y: number) => number
  readonly mass: Float32Array
  readonly x: Float32Array
  readonly y: Float32Array
}

function toGrid(x: Float32Array, y: Float32Array): Grid {
  let [low, high] = [0, 1]
  for (const value of x) [low, high] = [Math.min(low, value), Math.max(high, value)]
  for (const value of y) [low, high] = [Math.min(low, value), Math.max(high, value)]
  const size = (high - low) / CELLS
  const clamp = (value: number): number =>
    Math.min(CELLS - 1, Math.max(0, Math.floor((value - low) / size)))
  const cellOf = (px: number, py: number): number => clamp(px) * CELLS + clamp(py)
  const mass = new Float32Array(CELLS * CELLS)
  const [cx, cy] = [new Float32Array(CELLS * CELLS), new Float32Array(CELLS * CELLS)]
  for (let node = 0; node < x.length; node += 1) {
    const cell = cellOf(x[node] ?? 0, y[node] ?? 0)
    mass[cell] = (mass[cell] ?? 0) + 1
    cx[cell] = (cx[cell] ?? 0) + (x[node] ?? 0)
    cy[cell] = (cy[cell] ?? 0) + (y[node] ?? 0)
  }
  return {
    cellOf,
    mass,
    x: cx.map((sum, cell) => sum / (mass[cell] || 1)),
    y: cy.map((sum, cell) => sum / (mass[cell] || 1)),
  }
}

interface Moves {
  readonly x: Float32Array
  readonly y: Float32Array
  readonly dx: Float32Array
  readonly dy: Float32Array
}

function push(node: number, { x, y, dx, dy }: Moves, grid: Grid): void {
  const [px, py] = [x[node] ?? 0, y[node] ?? 0]
  let [mx, my] = [0, 0]
  for (let cell = 0; cell < grid.mass.length; cell += 1) {
    const mass = grid.mass[cell] ?? 0
    if (mass === 0) continue
    // Two nodes in one place must part in some direction, always the same one.
    const ax = px - (grid.x[cell] ?? 0) || ((node % 7) - 3) / 10
    const ay = py - (grid.y[cell] ?? 0) || ((node % 5) - 2) / 10
    const force = (SPACING * SPACING * mass) / (ax * ax + ay * ay + SPACING)
    mx += ax * force
    my += ay * force
  }
  dx[node] = (dx[node] ?? 0) + mx / SPACING
  dy[node] = (dy[node] ?? 0) + my / SPACING
}
