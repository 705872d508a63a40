import type { Node } from 'web-tree-sitter'
import type { NameSource } from './languages.ts'
import { lookUp } from '../../support/look-up.ts'

/** What a name is assigned to, when that is something with an inside: a function, a class, an object. */
export interface NamedValue {
  readonly type: 'function' | 'class' | 'constant'
  readonly node: Node
}

const VALUES: Readonly<Record<string, NamedValue['type']>> = {
  arrow_function: 'function',
  function_expression: 'function',
  generator_function: 'function',
  class: 'class',
  object: 'constant',
}

export function valueOf(node: Node): NamedValue | undefined {
  let value = node.childForFieldName('value') ?? node.childForFieldName('right')
  // `res.set = res.header = function` gives both names to the function.
  while (value !== null && isChained(value)) value = value.childForFieldName('right')
  const type = value === null ? undefined : lookUp(VALUES, value.type)
  return value === null || type === undefined ? undefined : { type, node: value }
}

/** Whether what is assigned is an assignment itself. */
export function isChained(value: Node | null): boolean {
  return value?.type === 'assignment_expression'
}

/** The name of a declaration without type arguments, or undefined if it has none. */
export function nameOf(node: Node, source: NameSource | undefined): string | undefined {
  const name = findName(node, source)
  const plain = name
    ?.replaceAll(/<[^<>]*(?:<[^<>]*>[^<>]*)*>/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return plain === undefined || plain === '' ? undefined : plain
}

function findName(node: Node, source: NameSource | undefined): string | undefined {
  if (typeof source === 'object') {
    return 'fixed' in source ? source.fixed : unquoted(node.childForFieldName(source.field))
  }
  switch (source) {
    case undefined:
      return plainName(node.childForFieldName('name'))
    case 'declarator':
      return declaredName(node)
    case 'implemented_type':
      return node.childForFieldName('type')?.text.split('<', 1)[0]?.split('::').at(-1)
    case 'receiver':
      return methodName(node)
    case 'assigned':
      return assignedName(node.childForFieldName('left'))
    case 'first_child':
      return node.namedChild(0)?.text
    case 'pattern':
      return firstNameIn(node)
    case 'target':
      return constantName(node.childForFieldName('left'))
  }
}

/** Patterns that take values apart (`const { a, b } = …`) have no name. */
function plainName(node: Node | null): string | undefined {
  return node === null || node.type.endsWith('_pattern') ? undefined : unquoted(node)
}

function unquoted(node: Node | null): string | undefined {
  const text = node?.text
  const [quote = ''] = text ?? ''
  const isQuoted = /["']/.test(quote) && text !== quote && text?.endsWith(quote) === true
  return isQuoted ? text.slice(1, -1) : text
}

/** C writes the name into the middle of the type: `int (*signal(int))(int)`. */
function declaredName(node: Node): string | undefined {
  const isType = node.type === 'type_definition'
  let isFunction = isType
  let inner = node.childForFieldName('declarator')
  while (inner !== null) {
    if (inner.type === 'function_declarator') isFunction = true
    const next = inner.childForFieldName('declarator') ?? wrappedDeclarator(inner)
    if (next === null) return isFunction ? inner.text : undefined
    inner = next
  }
  return undefined
}

function wrappedDeclarator(node: Node): Node | null {
  const wraps = node.type === 'parenthesized_declarator' || node.type === 'reference_declarator'
  return wraps ? node.namedChild(node.namedChildCount - 1) : null
}

/** Go: `func (c *Client[T]) Connect()` is Client.Connect. */
function methodName(node: Node): string | undefined {
  const name = node.childForFieldName('name')?.text
  const receiver = node.childForFieldName('receiver')?.text.replaceAll(/\s+/g, ' ') ?? ''
  const type = /(?<!\w)(\w+) ?(?:\[[^\][]*\] ?)?\)$/.exec(receiver)?.[1]
  return name === undefined || type === undefined ? name : `${type}.${name}`
}

function assignedName(node: Node | null): string | undefined {
  if (node?.type !== 'member_expression' && node?.type !== 'identifier') return undefined
  const name = node.text.replaceAll('.prototype.', '.').replace(/^(?:module\.)?exports\./, '')
  return /^[\w$.]+$/.test(name) && !name.startsWith('this.') ? name : undefined
}

function firstNameIn(node: Node): string | undefined {
  return /\b(?:val|var|let)\s+`?([\p{L}_][\p{L}\p{N}_]*)/u.exec(node.text.slice(0, 500))?.[1]
}

/** Python's and Ruby's constants are variables that were given a value outside of any function. */
function constantName(node: Node | null): string | undefined {
  const isName = node?.type === 'identifier' || node?.type === 'constant'
  return isName && /^[\p{Lu}_][\p{L}\p{N}_]*$/u.test(node.text) ? node.text : undefined
}
