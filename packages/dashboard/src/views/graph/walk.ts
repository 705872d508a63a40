import type { Placed } from '../../draw/layered.ts'

/** The node that lies nearest in a direction. */
export function nextNode(
  nodes: readonly Placed[],
  current: number,
  across: number,
  down: number,
): number | undefined {
  const here = nodes.find(({ number }) => number === current)
  if (here === undefined) return nodes[0]?.number
  const ahead = nodes.filter(({ number, x, y, layer }) => {
    if (number === current) return false
    return across === 0
      ? layer === here.layer && Math.sign(y - here.y) === down
      : Math.sign(x - here.x) === across
  })
  const distance = ({ x, y }: Placed): number =>
    Math.abs(x - here.x) * (across === 0 ? 1 : 4) + Math.abs(y - here.y)
  return ahead.toSorted((one, other) => distance(one) - distance(other))[0]?.number
}
