import type { Random } from '../../../packages/baton/test/support/random.ts'
import { ODD_KEYS, oddValue } from './odd-values.ts'

interface Place {
  readonly parent: Record<string, unknown> | unknown[]
  readonly key: string | number
}

/** A copy of a JSON value in which something is dropped, doubled, moved, or of another type. */
export function mutate(value: unknown, random: Random): unknown {
  const root = { value: structuredClone(value) }
  const times = 1 + random.below(3)
  for (let n = 0; n < times; n += 1) {
    const places = [...placesIn(root.value)]
    if (places.length > 0) alter(random.pick(places), random, root)
  }
  return root.value
}

function* placesIn(value: unknown): Generator<Place> {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const [key, item] of value.entries()) {
      yield { parent: value, key }
      yield* placesIn(item)
    }
    return
  }
  for (const [key, item] of Object.entries(value)) {
    yield { parent: value as Record<string, unknown>, key }
    yield* placesIn(item)
  }
}

function alter({ parent, key }: Place, random: Random, root: object): void {
  const holder = parent as Record<string | number, unknown>
  const present = holder[key]
  switch (random.below(7)) {
    case 0:
      if (Array.isArray(parent)) parent.splice(Number(key), 1)
      else delete holder[key]
      return
    case 1:
      if (Array.isArray(parent)) parent.splice(Number(key), 0, structuredClone(present))
      else holder[`${key}x`] = structuredClone(present)
      return
    case 2: {
      const other = random.pick([...placesIn(root)])
      const theirs = (other.parent as Record<string | number, unknown>)[other.key]
      holder[key] = structuredClone(theirs)
      return
    }
    case 3:
      if (!Array.isArray(parent)) define(parent, random.pick(ODD_KEYS), oddValue(random))
      else parent.push(oddValue(random))
      return
    case 4:
      holder[key] = near(present, random)
      return
    default:
      holder[key] = oddValue(random)
  }
}

/** Also `__proto__`, as a field like any other. */
function define(parent: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(parent, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  })
}

/** Something of the same type that is almost what it was. */
function near(value: unknown, random: Random): unknown {
  if (typeof value === 'number') return value + random.pick([-1, 1, 0.5, 2 ** 31, -(2 ** 31)])
  if (typeof value !== 'string') return [value]
  const at = random.below(value.length + 1)
  switch (random.below(4)) {
    case 0:
      return value.slice(0, at) + value.slice(at + 1)
    case 1:
      return `${value.slice(0, at)}\0${value.slice(at)}`
    case 2:
      return value.replace(/\d+/, (digits) => String(Number(digits) + random.pick([1, 7, 2 ** 30])))
    default:
      return value + value
  }
}
