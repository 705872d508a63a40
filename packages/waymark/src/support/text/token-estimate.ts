// Fitted to the vocabularies of today's models on JSON, code and prose; it errs on the high side. A real tokenizer
// takes longer to load than everything else here takes to run, and is exact for one vendor's models only.
const WORD = /[\p{L}\p{M}]+|\p{N}+|\s+|[^\p{L}\p{M}\p{N}\s]+/gu
const LETTERS_PER_TOKEN = 5.5
const MIXED = /[0-9a-f]{8,}/g

/** About how many tokens a model needs to read a text. */
export function estimateTokens(text: string): number {
  let tokens = 0
  // Ids and hashes are no words: a model reads them in pieces of two or three characters.
  const rest = text.replaceAll(MIXED, (hash) => {
    if (!/\d/.test(hash)) return hash
    tokens += hash.length / 1.8
    return ' '
  })
  for (const [piece] of rest.matchAll(WORD)) tokens += costOf(piece)
  return Math.ceil(tokens)
}

function costOf(piece: string): number {
  const first = piece.charCodeAt(0)
  // Scripts without blanks between words: about a token for each character.
  if (first > 0x2e7f) return piece.length
  if (/^\p{N}/u.test(piece)) return Math.ceil(piece.length / 3)
  // A single blank belongs to the word that follows it.
  if (/^\s/.test(piece)) return piece === ' ' ? 0 : 1
  if (!/^[\p{L}\p{M}]/u.test(piece)) return Math.ceil(piece.length / 2)
  return first < 0x80 ? Math.ceil(piece.length / LETTERS_PER_TOKEN) : Math.ceil(piece.length / 2.5)
}
