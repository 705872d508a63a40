import * as z from 'zod'
import type { Operation } from '../../packages/waymark/src/core/operation.ts'
import type { Random } from '../../packages/baton/test/support/random.ts'

interface Schema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly minimum?: number
}

/** What most fields take, so that one bad field does not hide behind another. */
const PLAUSIBLE = ['1', 'code.ts', 'HEAD', 'answer', 'note', 'a text'] as const

/** A call of one of the operations with a hostile text in it, wherever it takes one. */
export function hostileCall(
  operations: readonly Operation[],
  text: string,
  random: Random,
): { readonly operation: Operation; readonly input: object } {
  const spelt = JSON.stringify(text).slice(1, -1)
  for (;;) {
    const operation = random.pick(operations)
    const input = hostileInput(operation, text, random)
    // A number or a choice has no place for it.
    if (JSON.stringify(input).includes(spelt)) return { operation, input }
  }
}

/** An input for an operation in which one text, or all of them, are hostile. */
function hostileInput(operation: Operation, text: string, random: Random): object {
  const schema = z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' }) as Schema
  const isEverywhere = random.below(3) === 0
  const target = random.below(Math.max(1, Object.keys(schema.properties ?? {}).length))
  const entries = Object.entries(schema.properties ?? {}).flatMap(([name, property], at) => {
    const isTarget = isEverywhere || at === target
    const isNeeded = schema.required?.includes(name) === true
    if (!isTarget && !isNeeded && random.below(2) === 0) return []
    const given = isTarget ? text : random.pick(PLAUSIBLE)
    return [[name, toValue(property, given, random, 0)] as const]
  })
  const input = Object.fromEntries(entries)
  // As it comes out of a parser: an own property of that name.
  if (random.below(10) === 0) {
    Object.defineProperty(input, '__proto__', { value: { polluted: true }, enumerable: true })
  }
  return input
}

function toValue(schema: Schema, text: string, random: Random, depth: number): unknown {
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined && depth < 6)
    return toValue(random.pick(choices), text, random, depth + 1)
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined && random.below(5) > 0) return random.pick(schema.enum)
  switch (schema.type) {
    case 'integer':
    case 'number':
      return random.pick([schema.minimum ?? 1, 1, 2, -1, 2 ** 53, 0.5])
    case 'boolean':
      return random.below(2) === 0
    case 'array':
      return schema.items === undefined || depth > 5
        ? [text]
        : [toValue(schema.items, text, random, depth + 1)]
    case 'object':
      return depth > 5
        ? {}
        : Object.fromEntries([
            ...Object.entries(schema.properties ?? {}).map(([name, property]) => [
              name,
              toValue(property, text, random, depth + 1),
            ]),
            ...(schema.properties === undefined ? [[text, text]] : []),
          ])
    case undefined:
    default:
      return text
  }
}
