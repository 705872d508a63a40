/** Chance that can be repeated: the same seed gives the same choices on every machine. */
export interface Random {
  /** A number from 0 up to, but not including, 1. */
  next(): number
  /** One of the items, each as likely as the other. */
  pick<T>(items: readonly [T, ...T[]]): T
}

/** How freely a choice strays from what is most likely. */
export interface Sampling {
  /** 0 always takes the likeliest; above 1 the unlikely is favoured. */
  readonly temperature: number
  /** Only the likeliest choices that together have this share are considered. */
  readonly topP: number
}

/** Something to choose, and how likely it is beside the others. */
export interface Choice<T> {
  readonly value: T
  readonly weight: number
}

/** Starts a sequence of choices. */
export function createRandom(seed: string): Random {
  let state = hash(seed)
  // The generator mulberry32: 32 bits of state are plenty for a few thousand notes.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    pick: (items) => items[Math.floor(next() * items.length)] ?? items[0],
  }
}

/** Chooses as language models do: sharpen or flatten by temperature, cut the tail, then draw. */
export function sample<T>(
  random: Random,
  choices: readonly [Choice<T>, ...Choice<T>[]],
  { temperature, topP }: Sampling,
): T {
  const exponent = 1 / Math.max(temperature, 0.05)
  const ranked = choices
    .map(({ value, weight }) => ({ value, weight: weight ** exponent }))
    .toSorted((one, other) => other.weight - one.weight)
  const nucleus = withinShare(ranked, topP)
  let left = random.next() * sumOf(nucleus)
  for (const { value, weight } of nucleus) {
    left -= weight
    if (left < 0) return value
  }
  return nucleus[0]?.value ?? choices[0].value
}

function withinShare<T>(ranked: readonly Choice<T>[], share: number): readonly Choice<T>[] {
  const enough = sumOf(ranked) * share
  let taken = 0
  const end = ranked.findIndex(({ weight }) => (taken += weight) >= enough)
  return end === -1 ? ranked : ranked.slice(0, end + 1)
}

function sumOf(choices: readonly Choice<unknown>[]): number {
  return choices.reduce((sum, { weight }) => sum + weight, 0)
}

function hash(text: string): number {
  let value = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193)
  return value | 0
}
