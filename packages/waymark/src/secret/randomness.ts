/** Words that stand where a secret would be, in examples and templates. */
const STAND_INS =
  /example|sample|placeholder|change-?_?me|your|dummy|redacted|replace|insert|todo|secret-?_?here|x{4}|\*{3}|\.{3}|…|[<>{}]|\$[A-Za-z({]|%[A-Za-z_]+%/i

/** Hashes and ids: git's, UUIDs, ULIDs, subresource integrity and registry digests. */
const IDENTIFIER =
  /^(?:[0-9a-f]{7,16}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-7][0-9A-HJKMNP-TV-Z]{25}|sha(?:1|256|384|512)[-:].*)$/i

const SHORTEST = 16

/**
 * Whether a text was made by chance rather than by a person: letters and digits mixed so much as in no name, path or
 * number. What looks like a hash or an id is no secret, even where one is expected.
 */
export function isRandom(text: string): boolean {
  if (text.length < SHORTEST || STAND_INS.test(text) || IDENTIFIER.test(text)) return false
  const kinds = Array.from(text, kindOf)
  // Only inside words: paths, dates and versions change between digits and letters at their separators.
  const isTurn = (kind: Kind, at: number) => {
    const before = kinds[at - 1] ?? 'other'
    return kind !== before && kind !== 'other' && before !== 'other'
  }
  const turns = kinds.filter(isTurn).length
  const digitTurns = kinds.filter(
    (kind, at) => isTurn(kind, at) && (kind === 'digit' || kinds[at - 1] === 'digit'),
  ).length
  const isMixed = turns >= 0.4 * text.length && digitTurns > 0
  return (isMixed || digitTurns >= text.length / 4) && entropyOf(text) >= 3
}

type Kind = 'lower' | 'upper' | 'digit' | 'other'

function kindOf(character: string): Kind {
  if (character >= 'a' && character <= 'z') return 'lower'
  if (character >= 'A' && character <= 'Z') return 'upper'
  return character >= '0' && character <= '9' ? 'digit' : 'other'
}

/** Bits for each character, by Shannon. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values())
    bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}
