import { describe, expect, it } from 'vitest'
import { allOperations } from '../../src/registry.ts'
import { type JsonSchema, toJsonSchema } from '../../src/core/input/schema.ts'

const operations = await allOperations()

describe.each(operations.map((operation) => [operation.name, operation] as const))(
  '%s',
  (name, operation) => {
    const schema = toJsonSchema(operation.input) as { properties: Record<string, JsonSchema> }

    it('is named noun.verb', () => {
      expect(name).toMatch(/^[a-z]+\.[a-z]+(_[a-z]+)*$/)
    })

    it('says in one line what it does', () => {
      expect(operation.summary).toMatch(/^[A-Z][^\n]{10,}[^.\n]$/)
    })

    it('describes every field', () => {
      for (const [field, property] of Object.entries(schema.properties)) {
        expect(property['description'], field).toEqual(expect.stringMatching(/\S{2}/))
      }
    })

    it('has an input that every model provider accepts: an object without a union at the top', () => {
      expect(schema).toMatchObject({ type: 'object' })
      expect(Object.keys(schema)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(any|one|all)Of$/)]),
      )
    })

    it('takes from the command line only fields it has', () => {
      expect(Object.keys(schema.properties)).toEqual(
        expect.arrayContaining([...(operation.positional ?? [])]),
      )
    })

    it('has an output that can be described', () => {
      expect(toJsonSchema(operation.output, 'output')).toMatchObject({ type: 'object' })
    })
  },
)

it('no two operations share a name', () => {
  const names = operations.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})
