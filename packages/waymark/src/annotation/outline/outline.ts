import type { Node, Parser, TreeCursor } from 'web-tree-sitter'
import { LONGEST_NAME, type Unit } from '../anchor.ts'
import { hashCode, toOneLine } from '../code-text.ts'
import type { Language, Rule } from './languages.ts'
import { MOST_UNITS } from './limits.ts'
import { isChained, nameOf, valueOf } from './unit-name.ts'

const LONGEST_SIGNATURE = 300
/** Generated code can be nested deeper than the call stack allows; units below this depth are ignored. */
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
    const cursor = tree.walk()
    walk.visitChildren(cursor, { scope: [], inCode: false, depth: 0 })
    cursor.delete()
    return walk.found.length > MOST_UNITS ? undefined : withoutRepeated(walk.found)
  } finally {
    tree.delete()
  }
}

interface Place {
  readonly scope: readonly Scope[]
  readonly inCode: boolean
  readonly depth: number
  /** What stands around the next unit and belongs to it. */
  readonly outer?: Span
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

  constructor(language: Language, text: string) {
    this.#language = language
    this.#text = text
  }

  visitChildren(cursor: TreeCursor, place: Place): void {
    if (place.depth > DEEPEST || this.found.length > MOST_UNITS) return
    if (!cursor.gotoFirstChild()) return
    let prefix: Span | undefined
    do {
      const type = cursor.nodeType
      if (this.#language.prefixes.has(type)) {
        prefix ??= spanOf(cursor.currentNode)
        continue
      }
      if (cursor.nodeIsNamed && type !== 'comment') {
        const outer = prefix ?? place.outer
        this.#visit(cursor, type, outer === undefined ? place : { ...place, outer })
        prefix = undefined
      }
    } while (cursor.gotoNextSibling())
    cursor.gotoParent()
  }

  #visit(cursor: TreeCursor, type: string, place: Place): void {
    const { outer, ...here } = place
    const deeper = { ...here, depth: place.depth + 1 }
    const rule = Object.hasOwn(this.#language.rules, type) ? this.#language.rules[type] : undefined
    if (rule !== undefined) {
      const scope = this.#take(cursor.currentNode, rule, place)
      if (scope !== undefined) {
        // The other names of a chain of assignments stand beside the first, not inside it.
        if (isChained(cursor.currentNode.childForFieldName('right'))) {
          this.visitChildren(cursor, place)
          return
        }
        const inCode = place.inCode || isFunction(scope.type)
        this.visitChildren(cursor, { ...deeper, scope: [...place.scope, scope], inCode })
        return
      }
    }
    if (this.#language.wrappers.has(type)) {
      const node = cursor.currentNode
      const wrapped = this.#unitsIn(node) === 1 ? { outer: join(outer, spanOf(node)) } : {}
      this.visitChildren(cursor, { ...deeper, ...wrapped })
      return
    }
    this.visitChildren(cursor, CODE.has(type) ? { ...deeper, inCode: true } : deeper)
  }

  #unitsIn(node: Node): number {
    const { rules, wrappers } = this.#language
    return fewChildren(node).filter((child) => child.type in rules || wrappers.has(child.type))
      .length
  }

  /** Adds the node's unit, and returns the scope for units inside it; undefined if the node is none. */
  #take(node: Node, rule: Rule, { scope, inCode, outer }: Place): Scope | undefined {
    const value = rule.byValue === true ? valueOf(node) : undefined
    if (rule.byValue === true && value === undefined && rule.outerOnly !== true) return undefined
    if (inCode && rule.outerOnly === true && value?.type !== 'function') return undefined
    const body = this.#bodyOf(value?.node ?? node)
    if (rule.needsBody === true && body === undefined) return undefined
    const name = nameOf(node, rule.name)
    if (name === undefined || name.length > LONGEST_NAME) return undefined
    const head = this.#head(node, value?.node, body)
    const type = this.#typeOf(node, value?.type ?? typeFrom(node, rule, head), name, scope)
    const span = join(outer, spanOf(node))
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
