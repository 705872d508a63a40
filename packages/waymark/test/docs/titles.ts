import { parseAst } from 'rolldown/parseAst'

/** `it`, `test`, `describe` and those of ours that are called like them. */
const TESTS = /^(?:it|test|describe\w*)$/
const NOT_RUN: ReadonlySet<string> = new Set(['skip', 'todo'])

/**
 * What a file of tests or proofs claims: the titles of tests and groups that are run, and the promises of proofs.
 * Where something is put into a title there is a line break.
 */
export function titlesIn(source: string): readonly string[] {
  const titles: string[] = []
  visit(parseAst(source, { lang: 'ts' }), titles)
  return titles
}

function visit(value: unknown, titles: string[]): void {
  if (typeof value !== 'object' || value === null) return
  const node = value as Node
  if (node.type === 'CallExpression') {
    const names = namesOf(node.callee)
    if (TESTS.test(names[0] ?? '')) {
      if (names.some((name) => NOT_RUN.has(name))) return
      for (const title of textOf(node.arguments?.[0])) {
        titles.push(title, ...rowsOf(node.callee).map((row) => title.replace('%s', () => row)))
      }
    }
  }
  if (node.type === 'Property' && node.key?.name === 'promise') titles.push(...textOf(node.value))
  for (const part of Object.values(node)) visit(part, titles)
}

interface Node {
  readonly type?: string
  readonly name?: string
  readonly callee?: Node
  readonly object?: Node
  readonly property?: Node
  readonly tag?: Node
  readonly arguments?: readonly Node[]
  /** Of `… as const`. */
  readonly expression?: Node
  readonly elements?: readonly Node[]
  readonly key?: Node
  readonly value?: unknown
  readonly quasis?: readonly { readonly value: { readonly cooked: string } }[]
}

/** `it.each(…)` → it, each. */
function namesOf(node: Node | undefined): readonly string[] {
  if (node === undefined) return []
  if (node.name !== undefined) return [node.name]
  const inner = namesOf(node.callee ?? node.object ?? node.tag)
  return node.property?.name === undefined ? inner : [...inner, node.property.name]
}

/** What `it.each([…])` puts first into its titles, where it is written there. */
function rowsOf(callee: Node | undefined): readonly string[] {
  const [table] = callee?.arguments ?? []
  const rows = (table?.expression ?? table)?.elements ?? []
  return rows.flatMap((row) => textOf(row.elements === undefined ? row : row.elements[0]))
}

function textOf(value: unknown): readonly string[] {
  const node = (value ?? {}) as Node
  if (typeof node.value === 'string') return [node.value]
  return node.quasis === undefined ? [] : [node.quasis.map((each) => each.value.cooked).join('\n')]
}
