/** By expression of one character: which of some characters it takes, one bit for each kind of them. */
export function toTaken(sets: readonly string[], flags: string): bigint[] {
  const characters = sampleOf(sets)
  const known = new Map<string, bigint>()
  return sets.map((set) => {
    const before = known.get(set)
    if (before !== undefined) return before
    const expression = new RegExp(`^${set}$`, flags.replaceAll(/[gmy]/g, ''))
    let taken = 0n
    for (const [bit, character] of characters.entries()) {
      if (expression.test(character)) taken |= 1n << BigInt(bit)
    }
    known.set(set, taken)
    return taken
  })
}

/** At least one character of every kind that these sets tell apart. */
function sampleOf(sets: readonly string[]): string[] {
  const named = sets.flatMap((set) => Array.from(set))
  const beside = named.flatMap((one) => {
    const code = one.codePointAt(0) ?? 0
    return [code - 1, code + 1].filter((each) => each > 0).map((each) => String.fromCodePoint(each))
  })
  const usual = Array.from('aZ09_ -.:/\t\n\r"\'\u0001\u00A0\u00E9\u4E2D')
  return [...new Set([...named, ...beside, ...usual])]
}
