import { parseAst } from 'rolldown/parseAst'

/** `it`, `test`, `describe` and those of ours that are called like them. */
const TESTS = /^(?:it|test|describe\w*)$/
const NOT_RUN: ReadonlySet<string> = new Set(['skip', 'todo'])

/** `[lease-keeps]` at the end of a title. */
const ID = / \[([a-z0-9]+(?:-[a-z0-9]+)*)\]$/

/** Ids in a file of tests or proofs: those at the end of titles of tests and groups that run, and those of proofs. */
export function idsIn(source: string): readonly string[] {
  const ids: string[] = []
  visit(parseAst(source, { lang: 'ts' }), ids)
  return ids
}

function visit(value: unknown, ids: string[]): void {
  if (typeof value !== 'object' || value === null) return
  const node = value as Node
  if (node.type === 'CallExpression') {
    const names = namesOf(node.callee)
    if (TESTS.test(names[0] ?? '')) {
      if (names.some((name) => NOT_RUN.has(name))) return
      const [, id] = ID.exec(textOf(node.arguments?.[0])) ?? []
      if (id !== undefined) ids.push(id)
    }
  }
  if (node.type === 'ObjectExpression') {
    const text = (name: string) =>
      textOf(node.properties?.find(({ key }) => key?.name === name)?.value)
    if (text('promise') !== '' && text('id') !== '') ids.push(text('id'))
  }
  for (const part of Object.values(node)) visit(part, ids)
}

interface Node {
  readonly type?: string
  readonly name?: string
  readonly callee?: Node
  readonly object?: Node
  readonly property?: Node
  readonly tag?: Node
  readonly arguments?: readonly Node[]
  readonly properties?: readonly Node[]
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

function textOf(value: unknown): string {
  const node = (value ?? {}) as Node
  if (typeof node.value === 'string') return node.value
  return node.quasis?.map((each) => each.value.cooked).join('') ?? ''
}
