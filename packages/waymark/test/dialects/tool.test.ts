import * as z from 'zod'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../src/core/error.ts'
import { defineOperation } from '../../src/core/operation.ts'
import { defineTool, route, when } from '../../src/dialects/tool.ts'

const count = defineOperation({
  name: 'test.count',
  summary: 'Count',
  example: '',
  effect: 'read',
  input: z.object({}),
  output: z.object({ total: z.int() }),
  run: async () => ({ total: 3 }),
  show: () => [],
})
const name = defineOperation({
  name: 'test.name',
  summary: 'Name',
  example: '',
  effect: 'read',
  input: z.object({}),
  output: z.object({ title: z.string() }),
  run: async () => ({ title: 'x' }),
  show: () => [],
})

const tool = defineTool({
  listed: { name: 'look', inputSchema: { type: 'object' } },
  parse: (args) => {
    if ('wrong' in args) throw new Failure('invalid_input', 'wrong: is unknown')
    return args
  },
  routes: [
    route({
      operation: count,
      toInput: () => ({}),
      // @ts-expect-error the operation answers no `count`
      toResult: ({ total, count }) => ({ total, count }),
    }),
    when(
      ({ id }) => id !== undefined,
      route({
        operation: name,
        toInput: ({ id }) => ({ id }),
        toResult: ({ title }) => ({ title }),
      }),
    ),
  ],
})

describe('a tool with routes', () => {
  it('calls the first operation unless the condition of another route holds', () => {
    expect(tool.toOperation({})).toBe(count)
    expect(tool.toOperation({ id: '1' })).toBe(name)
    expect(tool.toCall({ id: '1' })).toMatchObject({ operation: name, input: { id: '1' } })
  })

  it('answers with the result of the route that was taken', () => {
    expect(tool.toCall({}).toAnswer({ total: 3 })).toEqual({
      result: { total: 3, count: undefined },
    })
    expect(tool.toCall({ id: '1' }).toAnswer({ title: 'x' })).toEqual({ result: { title: 'x' } })
  })

  it('refuses arguments before they become an input', () => {
    expect(() => tool.toCall({ wrong: 1 })).toThrow('wrong: is unknown')
  })
})

describe('the reason of a failure', () => {
  it('is one of a closed set', () => {
    const { details } = new Failure('conflict', 'task 1 is held', { details: { reason: 'held' } })
    // @ts-expect-error no such reason
    expect(details.reason === 'helt').toBe(false)
    // @ts-expect-error no such reason
    expect(new Failure('conflict', 'x', { details: { reason: 'helt' } })).toBeInstanceOf(Failure)
  })
})
