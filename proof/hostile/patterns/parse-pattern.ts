/** A regular expression as far as its running time depends on it. */
export type Node =
  /** Takes one character, if `set`, an expression of its own, matches it. */
  | { readonly kind: 'character'; readonly set: string }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Node[] }
  | { readonly kind: 'repeat'; readonly part: Node; readonly min: number; readonly max: number }
  /** Takes nothing, but says whether it may go on: `^`, `$`, `\b`, `\B`. */
  | { readonly kind: 'assertion'; readonly sign: string }
  /** A lookaround, by how it begins: what it looks at is looked at again by what follows. */
  | { readonly kind: 'aside'; readonly sign: string; readonly part: Node }

/** What is known of a reference to a group: not even its length. */
const ANYTHING: Node = {
  kind: 'repeat',
  part: { kind: 'character', set: '[^]' },
  min: 0,
  max: Number.POSITIVE_INFINITY,
}

/** Reads what the language has accepted already. */
export function parsePattern(source: string): Node {
  let at = 0

  const choice = (): Node => {
    const parts = [sequence()]
    while (source[at] === '|') {
      at += 1
      parts.push(sequence())
    }
    return parts.length === 1 ? (parts[0] as Node) : { kind: 'choice', parts }
  }

  const sequence = (): Node => {
    const parts: Node[] = []
    while (at < source.length && source[at] !== '|' && source[at] !== ')') {
      const part = atom()
      const quantifier = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(source.slice(at))
      at += quantifier?.[0].length ?? 0
      parts.push(quantifier === null ? part : repeat(part, quantifier))
    }
    return { kind: 'sequence', parts }
  }

  const atom = (): Node => {
    const rest = source.slice(at)
    const opening = /^\((\?(?:[:=!]|<[=!]|<[^>]*>))?/.exec(rest)
    if (opening !== null) {
      at += opening[0].length
      const inner = choice()
      at += 1
      const sign = opening[1] ?? ''
      return /[=!]$/.test(sign) ? { kind: 'aside', sign, part: inner } : inner
    }
    const reference = /^\\(?:k<[^>]*>|[1-9]\d*)/.exec(rest)
    if (reference !== null) {
      at += reference[0].length
      return ANYTHING
    }
    const token =
      /^(?:\^|\$|\\[bB]|\[(?:\\.|[^\]\\])*\]|\\[pPu]\{[^}]*\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\c.|\\.|.)/isu.exec(
        rest,
      )?.[0] ?? ''
    at += token.length
    return /^(?:\^|\$|\\[bB])$/.test(token)
      ? { kind: 'assertion', sign: token }
      : { kind: 'character', set: token }
  }

  return choice()
}

function repeat(part: Node, [, sign, min, comma, max]: RegExpExecArray): Node {
  if (sign !== undefined) {
    const limit = sign === '?' ? 1 : Number.POSITIVE_INFINITY
    return { kind: 'repeat', part, min: sign === '+' ? 1 : 0, max: limit }
  }
  const least = Number(min)
  const most = comma === '' ? least : max === '' ? Number.POSITIVE_INFINITY : Number(max)
  return { kind: 'repeat', part, min: least, max: most }
}
