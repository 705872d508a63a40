/** One challenge, read by the grammar of RFC 7235 and nothing else. */
export interface ParsedChallenge {
  readonly scheme: string
  readonly parameters: ReadonlyMap<string, string>
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+/
const QUOTED = /^"((?:[\t \x21\x23-\x5b\x5d-\x7e]|\\[\t \x21-\x7e])*)"/

/** Throws when the header is not exactly one well-formed challenge. */
export function parseChallenge(header: string): ParsedChallenge {
  let rest = header
  const take = (pattern: RegExp): string => {
    const match = pattern.exec(rest)
    if (match === null) throw new Error(`malformed challenge at: ${rest}`)
    rest = rest.slice(match[0].length)
    return match[1] ?? match[0]
  }
  const scheme = take(TOKEN)
  const parameters = new Map<string, string>()
  if (rest !== '') take(/^ +/)
  while (rest !== '') {
    const name = take(TOKEN).toLowerCase()
    take(/^=/)
    const value = rest.startsWith('"') ? take(QUOTED).replaceAll(/\\(.)/g, '$1') : take(TOKEN)
    if (parameters.has(name)) throw new Error(`parameter ${name} appears twice`)
    parameters.set(name, value)
    if (rest !== '') take(/^ *, */)
  }
  return { scheme, parameters }
}
