/** A URI template that can be matched against URIs. */
export interface UriTemplate {
  readonly variables: readonly string[]
  /** The values of the variables, decoded, if the URI follows the template. */
  match(uri: string): Record<string, string> | undefined
}

interface Variable {
  readonly name: string
  /** `{name}` stays within one path segment; `{+name}` and `{#name}` take any characters. */
  readonly operator: '' | '+' | '#'
  /** The literal text that follows, up to the next variable or the end. */
  readonly followedBy: string
}

const NAME = /^[A-Za-z0-9_.%]+$/
const SEGMENT_END = /[/?#]/

/**
 * Parses an RFC 6570 template of level 1 or 2.
 * Matching takes linear time without backtracking: a variable ends at the first occurrence of the text that
 * follows it, and the last text must end the URI. Therefore two variables must have text between them.
 */
export function parseUriTemplate(template: string): UriTemplate {
  const [prefix = '', ...pieces] = template.split('{')
  const variables = pieces.map((piece) => parseVariable(piece, template))
  for (const variable of variables.slice(0, -1)) {
    if (variable.followedBy === '') throw broken(template, 'two variables need text between them')
  }
  const names = variables.map((variable) => variable.name)
  if (new Set(names).size < names.length) throw broken(template, 'a variable occurs twice')
  return { variables: names, match: (uri) => matchVariables(uri, prefix, variables) }
}

function parseVariable(piece: string, template: string): Variable {
  const end = piece.indexOf('}')
  if (end === -1) throw broken(template, 'a brace is not closed')
  const first = piece.charAt(0)
  const operator = first === '+' || first === '#' ? first : ''
  const name = piece.slice(operator.length, end)
  if (!NAME.test(name)) throw broken(template, `{${piece.slice(0, end)}} is not of level 1 or 2`)
  return { name, operator, followedBy: piece.slice(end + 1) }
}

function matchVariables(
  uri: string,
  prefix: string,
  variables: readonly Variable[],
): Record<string, string> | undefined {
  if (!uri.startsWith(prefix)) return undefined
  if (variables.length === 0) return uri === prefix ? {} : undefined
  const values: Record<string, string> = {}
  let at = prefix.length
  for (const [index, { name, operator, followedBy }] of variables.entries()) {
    if (operator === '#' && uri.charAt(at++) !== '#') return undefined
    const isLast = index === variables.length - 1
    const end = isLast ? endBefore(uri, followedBy, at) : uri.indexOf(followedBy, at)
    const value = end <= at ? undefined : toValue(uri.slice(at, end), operator)
    if (value === undefined) return undefined
    values[name] = value
    at = end + followedBy.length
  }
  return values
}

function endBefore(uri: string, suffix: string, from: number): number {
  const end = uri.length - suffix.length
  return end > from && uri.endsWith(suffix) ? end : -1
}

function toValue(text: string, operator: Variable['operator']): string | undefined {
  if (operator === '' && SEGMENT_END.test(text)) return undefined
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function broken(template: string, reason: string): TypeError {
  return new TypeError(`URI template ${template}: ${reason}`)
}
