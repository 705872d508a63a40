import { describe, expect, it } from 'vitest'
import { DIALECT_NAMES, loadDialects } from '../src/dialects/load-dialects.ts'
import { Failure } from '../src/core/error.ts'
import { execute } from '../src/core/execute.ts'
import { allOperations } from '../src/registry.ts'
import { type JsonSchema, toJsonSchema } from '../src/core/input/schema.ts'
import { connect } from './dialects/client.ts'
import { setup } from './setup.ts'

const MISSPELT = 'misspelt'

/** What holds fields that are the caller's own or that somebody else looks at, and what a seed leaves free. */
const FREE: readonly (readonly [RegExp, string])[] = [
  [/agent[._]join capabilities$/, 'whatever an agent can do'],
  [/prompt[._]render arguments$/, 'the variables of a prompt, which only the prompt knows'],
  [/entity[._](create|update) properties$/, 'which ones there are depends on the type'],
  [/remember properties$/, 'the same fields of entities'],
  [/entity[._]batch operations\.0\.properties$/, 'which ones there are depends on the type'],
  [/entity[._]batch operations\.0$/, 'what a step takes depends on it; it alone fails'],
  [/ultragit_(read|deps|history|summary) $/, 'the seed ignores arguments that it does not know'],
]

function refusedByNone(taken: readonly string[]): readonly string[] {
  return taken.filter((place) => !FREE.some(([pattern]) => pattern.test(place)))
}

/** The way to every object in a schema: names, and 0 for the items of a list. */
function objectsIn(schema: JsonSchema, path: readonly string[] = []): (readonly string[])[] {
  const {
    type,
    properties = {},
    items,
    anyOf = [],
  } = schema as {
    type?: string
    properties?: Record<string, JsonSchema>
    items?: JsonSchema
    anyOf?: JsonSchema[]
  }
  return [
    ...(type === 'object' || 'properties' in schema ? [path] : []),
    ...Object.entries(properties).flatMap(([name, inner]) => objectsIn(inner, [...path, name])),
    ...(items === undefined ? [] : objectsIn(items, [...path, '0'])),
    ...anyOf.flatMap((choice) => objectsIn(choice, path)),
  ]
}

/** An input with nothing but a field that nobody knows, at the end of the way. */
function withMisspelt(path: readonly string[]): Record<string, unknown> {
  const [name, ...rest] = path
  if (name === undefined) return { [MISSPELT]: 'x' }
  const inner = rest[0] === '0' ? [withMisspelt(rest.slice(1))] : withMisspelt(rest)
  return { [name]: inner }
}

async function refusalOf(work: () => Promise<unknown>): Promise<Failure | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

describe('a field that nobody knows', () => {
  it('is refused by every operation, however deep it is', async () => {
    await using project = await setup()
    const taken: string[] = []
    for (const operation of await allOperations()) {
      for (const path of objectsIn(toJsonSchema(operation.input))) {
        const failure = await refusalOf(() =>
          execute(project.context, operation, withMisspelt(path)),
        )
        if (failure?.details['rule'] !== 'unknown_field') {
          taken.push(`${operation.name} ${path.join('.')}`)
          continue
        }
        expect(failure.code).toBe('invalid_input')
        expect(failure.details['field'], operation.name).toBe([...path, MISSPELT].join('.'))
      }
    }
    expect(refusedByNone(taken)).toEqual([])
    expect(taken).toHaveLength(6)
  })

  it('is refused by every tool of every dialect, and named as it was sent', async () => {
    await using project = await setup()
    const taken: string[] = []
    for (const dialect of DIALECT_NAMES) {
      const dialects = await loadDialects(dialect, { toolsets: dialect === 'waymark' ? 'all' : '' })
      await using client = await connect(dialect, { project, server: { dialects } })
      for (const { name, inputSchema } of dialects[0].listed) {
        for (const path of objectsIn(inputSchema)) {
          const params = { name, arguments: withMisspelt(path) }
          const { result, error } = await client.request('tools/call', params)
          const isRefused = error !== undefined || result?.['isError'] === true
          const field = [...path, MISSPELT].join('.')
          if (isRefused && JSON.stringify({ result, error }).includes(`${field}: is `)) continue
          taken.push(`${dialect}: ${name} ${path.join('.')}`)
        }
      }
    }
    expect(refusedByNone(taken)).toEqual([])
    for (const [pattern, reason] of FREE)
      expect(
        taken.some((one) => pattern.test(one)),
        reason,
      ).toBe(true)
  })
})
