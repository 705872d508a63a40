import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Problem } from '../../src/internal/json-schema/check.ts'
import { compileJsonSchema } from '../../src/internal/json-schema/compile.ts'
import { SEED } from '../seed.ts'

function problemsOf(schema: unknown, value: unknown): string[] {
  const problems: Problem[] = []
  compileJsonSchema(schema)(value, problems)
  return problems.map(({ path, message }) => `${path.join('.')}: ${message}`)
}

test('a problem has the path of its member', () => {
  const schema = {
    type: 'object',
    properties: { tasks: { type: 'array', items: { type: 'object', required: ['title'] } } },
    required: ['project'],
    additionalProperties: false,
  }
  expect(problemsOf(schema, { tasks: [{}, { title: 'x' }, 7], extra: 1 })).toEqual([
    'project: is required',
    'tasks.0.title: is required',
    'tasks.2: must be object',
    'extra: is not allowed',
  ])
})

test('a schema may contain itself', () => {
  const tree = {
    $defs: {
      node: { type: 'object', properties: { children: { items: { $ref: '#/$defs/node' } } } },
    },
    $ref: '#/$defs/node',
  }
  expect(problemsOf(tree, { children: [{ children: [{ children: [1] }] }] })).toEqual([
    'children.0.children.0.children.0: must be object',
  ])
})

test('anchors and pointers with escapes are found', () => {
  const schema = {
    $defs: { 'a/b': { const: 1 }, named: { $anchor: 'here', const: 2 } },
    prefixItems: [{ $ref: '#/$defs/a~1b' }, { $ref: '#here' }],
  }
  expect(problemsOf(schema, [1, 2])).toEqual([])
  expect(problemsOf(schema, [2, 1])).toEqual(['0: must be 1', '1: must be 2'])
})

test('uniqueItems of a long list takes linear time', () => {
  const items = Array.from({ length: 20_000 }, (_, index) => ({ index, same: { a: 1, b: 2 } }))
  expect(problemsOf({ uniqueItems: true }, items)).toEqual([])
  const twin = { same: { b: 2, a: 1 }, index: 5 }
  expect(problemsOf({ uniqueItems: true }, [...items, twin])).toEqual([
    ': must have unique items, but item 20000 is a duplicate',
  ])
})

describe('schemas that are refused when they are defined', () => {
  test.each([
    { unevaluatedProperties: false },
    { $dynamicRef: '#x' },
    { $ref: 'https://example.org/schema.json' },
    { $ref: '#/$defs/nowhere' },
    { type: 'text' },
    { required: 'name' },
    { properties: [] },
    { allOf: {} },
    { minimum: '1' },
  ])('%j', (schema) => expect(() => compileJsonSchema(schema)).toThrow(TypeError))
})

// oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema, not a promise
const CONSEQUENCE = 'then'
const name = fc.constantFrom('a', 'b', 'c')
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, false, 0, 1, 2.5, -3, '', 'a', 'bb', 'ccc', '🙂'),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(name, tie('any'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).any

const schema = fc.letrec((tie) => {
  const inner = tie('schema')
  const list = fc.array(inner, { minLength: 1, maxLength: 3 })
  const size = fc.nat({ max: 3 })
  const keyword = fc.oneof(
    fc.record({ type: fc.constantFrom('string', 'number', 'integer', 'object', 'array', 'null') }),
    fc.record({ enum: fc.uniqueArray(fc.constantFrom(1, 'a', null), { minLength: 1 }) }),
    fc.record({ const: value }),
    fc.record({ minLength: size, maxLength: size }),
    fc.record({ pattern: fc.constantFrom('^a', 'b$', '^.$') }),
    fc.record({ minimum: size }, { requiredKeys: [] }),
    fc.record({ exclusiveMaximum: size }),
    fc.record({ multipleOf: fc.constantFrom(1, 2, 0.5) }),
    fc.record({ items: inner }),
    fc.record({ prefixItems: list, items: inner }),
    fc.record({ minItems: size, maxItems: size }),
    fc.record({ uniqueItems: fc.boolean() }),
    fc.record({ contains: inner, minContains: size }, { requiredKeys: ['contains'] }),
    fc.record({ properties: fc.dictionary(name, inner, { maxKeys: 2 }) }),
    fc.record({ required: fc.uniqueArray(name) }),
    fc.record({ additionalProperties: inner, properties: fc.record({ a: inner }) }),
    fc.record({ patternProperties: fc.record({ '^[ab]': inner }) }),
    fc.record({ propertyNames: inner }),
    fc.record({ minProperties: size }),
    fc.record({ dependentRequired: fc.record({ a: fc.uniqueArray(name) }) }),
    fc.record({ dependentSchemas: fc.record({ b: inner }) }),
    fc.record({ allOf: list }),
    fc.record({ anyOf: list }),
    fc.record({ oneOf: list }),
    fc.record({ not: inner }),
    fc.record({ if: inner, else: inner }),
    fc.tuple(inner, inner).map(([test, result]) => ({ if: test, [CONSEQUENCE]: result })),
  )
  return {
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.boolean(),
      keyword,
      fc.tuple(keyword, keyword).map(([left, right]) => ({ ...left, ...right })),
    ),
  }
}).schema

test('agrees with AJV on schemas and values at random', () => {
  const ajv = new AjvJsonSchemaValidator()
  const property = fc.property(schema, value, (shape, candidate) => {
    // The wrapper makes an object of every schema, as the oracle wants it.
    const wrapped = { type: 'object', properties: { x: shape } } as const
    const verdict = judge(() => ajv.getValidator(wrapped as never)({ x: candidate }).valid)
    fc.pre(verdict !== undefined)
    expect(problemsOf(wrapped, { x: candidate }).length === 0).toBe(verdict)
  })
  fc.assert(property, { seed: SEED, numRuns: 1500 })
})

/** The oracle's code generator has faults of its own: some schemas make it throw. */
function judge(verdict: () => boolean): boolean | undefined {
  try {
    return verdict()
  } catch {
    return undefined
  }
}
