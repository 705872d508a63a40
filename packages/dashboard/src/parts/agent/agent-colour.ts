/** Eight hues in two tones, dark enough for white text in both schemes. */
const COLOURS = [
  '#3b5bdb',
  '#9c36b5',
  '#c2255c',
  '#b3400f',
  '#8a5a00',
  '#2b7a3f',
  '#0b7285',
  '#1864ab',
  '#5f3dc4',
  '#862e9c',
  '#a61e4d',
  '#9a3412',
  '#6b5b00',
  '#1f6b4a',
  '#0f5f73',
  '#374151',
] as const

/** The same name has the same colour everywhere and always. */
export function toColour(name: string): string {
  // FNV-1a, folded so that names which differ in one letter differ in colour.
  let hash = 0x811c9dc5
  for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return COLOURS[((hash >>> 16) ^ (hash >>> 4)) % COLOURS.length] ?? COLOURS[0]
}

export function toInitials(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  const [first = '?', last] = [words[0], words.length > 1 ? words.at(-1) : undefined]
  const letters =
    last === undefined ? Array.from(first).slice(0, 2) : [Array.from(first)[0], Array.from(last)[0]]
  return letters.join('').toUpperCase()
}
