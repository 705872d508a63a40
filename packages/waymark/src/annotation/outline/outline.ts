import type { Node, Parser } from 'web-tree-sitter'
import { LONGEST_NAME, type Unit } from '../anchor.ts'
import { hashCode, toOneLine } from '../code-text.ts'
import type { Language, Rule } from './languages.ts'
import { MOST_UNITS } from './limits.ts'
import { isChained, nameOf, valueOf } from './unit-name.ts'

const LONGEST_SIGNATURE = 300
/** Generated code can be nested without end; units below this depth are ignored. */
const DEEPEST = 200

const TYPES_WITH_METHODS: ReadonlySet<string> = new Set([
  'class',
  'struct',
  'interface',
  'enum',
  'extension',
])
const CONSTRUCTOR_NAMES: ReadonlySet<string> = new Set([
  'constructor',
  '__init__',
  '__construct',
  'initialize',
])

/** Nodes without a name of their own whose contents are code that runs, not declarations of the file. */
const CODE: ReadonlySet<string> = new Set([
  'arrow_function',
  'function_expression',
  'generator_function',
  'lambda',
  'lambda_expression',
  'lambda_literal',
  'closure_expression',
  'func_literal',
  'anonymous_function',
  'anonymous_function_creation_expression',
])

/** All units of a file in the order in which they begin; undefined if there are more than MOST_UNITS. */
export function outline(
  parser: Parser,
  language: Language,
  text: string,
): readonly Unit[] | undefined {
  const tree = parser.parse(text)
  if (tree === null) return []
  try {
    const walk = new Walk(language, text)
    walk.visit(tree.rootNode)
    return walk.found.length > MOST_UNITS ? undefined : withoutRepeated(walk.found)
  } finally {
    tree.delete()
  }
}

/** What stands around the nodes inside of another one. */
interface Place {
  readonly scope: readonly Scope[]
  readonly inCode: boolean
  readonly depth: number
  /** Where it ends in the text. */
  readonly end: number
  /** Nodes inside of a decorator are no units. */
  readonly isSkipped?: true
}

interface Scope {
  readonly name: string
  readonly type: string
}

interface Span {
  readonly start: number
  readonly end: number
  readonly firstRow: number
  readonly lastRow: number
}

interface Found {
  readonly unit: Unit
  readonly declares: boolean
}

class Walk {
  readonly found: Found[] = []
  readonly #language: Language
  readonly #text: string
  /** Decorators and attributes in front of a node, by its id. */
  readonly #prefixes = new Map<number, Span>()

  constructor(language: Language, text: string) {
    this.#language = language
    this.#text = text
  }

  /**
   * The parser lists the few kinds of nodes that matter, each before those inside it. Walking over all nodes from here
   * takes twice as long as parsing.
   */
  visit(root: Node): void {
    const { rules, prefixes } = this.#language
    const types = [...Object.keys(rules), ...prefixes, ...CODE]
    const around: Place[] = [{ scope: [], inCode: false, depth: 0, end: root.endIndex }]
    for (const node of root.descendantsOfType(types)) {
      if (this.found.length > MOST_UNITS) return
      if (!node.isNamed || node.id === root.id) continue
      while (around.length > 1 && (around.at(-1)?.end ?? 0) <= node.startIndex) around.pop()
      const place = around.at(-1)
      if (place === undefined || place.isSkipped === true || place.depth > DEEPEST) continue
      around.push({ ...this.#enter(node, place), depth: place.depth + 1, end: node.endIndex })
    }
  }

  /** Adds the node if it is a unit, and returns what stands around the nodes inside it. */
  #enter(node: Node, place: Place): Omit<Place, 'depth' | 'end'> {
    const { rules, prefixes } = this.#language
    const { scope, inCode } = place
    const { type } = node
    if (prefixes.has(type)) {
      this.#notePrefix(node)
      return { scope, inCode, isSkipped: true }
    }
    const rule = Object.hasOwn(rules, type) ? rules[type] : undefined
    const own = rule && this.#take(node, rule, { scope, inCode })
    if (own !== undefined) {
      // The other names of a chain of assignments stand beside the first, not inside it.
      if (isChained(node.childForFieldName('right'))) return { scope, inCode }
      return { scope: [...scope, own], inCode: inCode || isFunction(own.type) }
    }
    return { scope, inCode: inCode || CODE.has(type) }
  }

  /** It belongs to the next node that is neither a decorator nor a comment. */
  #notePrefix(node: Node): void {
    let next = node.nextNamedSibling
    while (next !== null && (this.#language.prefixes.has(next.type) || next.type === 'comment')) {
      next = next.nextNamedSibling
    }
    if (next !== null && !this.#prefixes.has(next.id)) this.#prefixes.set(next.id, spanOf(node))
  }

  /** The unit with what belongs to it: its decorators, or the statements around it, such as `export const`. */
  #spanOf(node: Node): Span {
    const prefix = this.#prefixes.get(node.id)
    if (prefix !== undefined) return join(prefix, spanOf(node))
    let span = spanOf(node)
    let around = node.parent
    while (around !== null && this.#isWrapper(around)) {
      span = join(this.#prefixes.get(around.id), join(span, spanOf(around)))
      around = around.parent
    }
    return span
  }

  /** Of several units in one statement, none is the statement. */
  #isWrapper(node: Node): boolean {
    const { rules, wrappers } = this.#language
    if (!wrappers.has(node.type)) return false
    const isUnit = ({ type }: Node) => Object.hasOwn(rules, type) || wrappers.has(type)
    return fewChildren(node).filter(isUnit).length === 1
  }

  /** Adds the node's unit, and returns the scope for units inside it; undefined if the node is none. */
  #take(
    node: Node,
    rule: Rule,
    { scope, inCode }: Pick<Place, 'scope' | 'inCode'>,
  ): Scope | undefined {
    const value = rule.byValue === true ? valueOf(node) : undefined
    if (rule.byValue === true && value === undefined && rule.outerOnly !== true) return undefined
    if (inCode && rule.outerOnly === true && value?.type !== 'function') return undefined
    const body = this.#bodyOf(value?.node ?? node)
    if (rule.needsBody === true && body === undefined) return undefined
    const name = nameOf(node, rule.name)
    if (name === undefined || name.length > LONGEST_NAME) return undefined
    const head = this.#head(node, value?.node, body)
    const type = this.#typeOf(node, value?.type ?? typeFrom(node, rule, head), name, scope)
    const span = this.#spanOf(node)
    const { layout, separator } = this.#language
    const fullName = [...scope.map((each) => each.name), name].join(separator)
    if (fullName.length > LONGEST_NAME) return { name, type }
    this.found.push({
      declares: rule.declares === true,
      unit: {
        type,
        name: fullName,
        signature: toOneLine(head, LONGEST_SIGNATURE),
        lines: { start: span.firstRow + 1, end: span.lastRow + 1 },
        ...(inCode && { nested: true as const }),
        contentHash: hashCode(this.#text.slice(span.start, span.end), layout),
        signatureHash: hashCode(head, 'free'),
      },
    })
    return { name, type }
  }

  #typeOf(node: Node, type: string, name: string, scope: readonly Scope[]): string {
    if (type !== 'function') return type
    // A function defined outside of its class carries the class in its name.
    const isMethod = /::|\./.test(name) || TYPES_WITH_METHODS.has(scope.at(-1)?.type ?? '')
    if (!isMethod) return 'function'
    return CONSTRUCTOR_NAMES.has(name) && node.type !== 'function_item' ? 'constructor' : 'method'
  }

  #bodyOf(node: Node): Node | undefined {
    const field = node.childForFieldName('body')
    if (field !== null) return field
    if (this.#language.bodies.size === 0) return undefined
    return fewChildren(node).find((child) => this.#language.bodies.has(child.type))
  }

  /** The declaration without what it does: up to its body, or up to its value. */
  #head(node: Node, value: Node | undefined, body: Node | undefined): string {
    const end = body ?? value ?? node.childForFieldName('value') ?? node.childForFieldName('right')
    const head = this.#text.slice(node.startIndex, end?.startIndex ?? node.endIndex)
    return head.trimEnd().replace(/(?:\{|=>|[=:])$/, '')
  }
}

/** No declaration of real code has more. As objects, those of a hostile one would fill the memory of the thread. */
const MOST_CHILDREN = 1_000

function fewChildren(node: Node): readonly Node[] {
  return node.namedChildCount > MOST_CHILDREN ? [] : node.namedChildren
}

function typeFrom(node: Node, rule: Rule, head: string): string {
  if (rule.typeFrom === undefined) return rule.type
  if (rule.typeFrom === 'head') {
    if (/\binterface\s/.test(head)) return 'interface'
    return /\benum\s+class\b/.test(head) ? 'enum' : rule.type
  }
  const field = node.childForFieldName(rule.typeFrom.field)
  const told = field?.type.replace(/_type$/, '') ?? ''
  const known = ['struct', 'interface', 'enum', 'extension', 'class']
  return known.includes(told) ? told : told === 'actor' ? 'class' : 'type_alias'
}

function isFunction(type: string): boolean {
  return type === 'function' || type === 'method' || type === 'constructor' || type === 'property'
}

function spanOf(node: Node): Span {
  const { row, column } = node.endPosition
  // What ends at the very start of a line ends on the line before.
  const lastRow = column === 0 && row > node.startPosition.row ? row - 1 : row
  return {
    start: node.startIndex,
    end: node.endIndex,
    firstRow: node.startPosition.row,
    lastRow,
  }
}

function join(outer: Span | undefined, inner: Span): Span {
  if (outer === undefined) return inner
  return {
    start: Math.min(outer.start, inner.start),
    end: Math.max(outer.end, inner.end),
    firstRow: Math.min(outer.firstRow, inner.firstRow),
    lastRow: Math.max(outer.lastRow, inner.lastRow),
  }
}

function withoutRepeated(found: readonly Found[]): readonly Unit[] {
  const defined = new Set(found.filter(({ declares }) => !declares).map(({ unit }) => unit.name))
  return found
    .filter(({ unit, declares }) => !declares || !defined.has(unit.name))
    .map(({ unit }) => unit)
    .toSorted((a, b) => a.lines.start - b.lines.start)
}
