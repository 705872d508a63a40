import { readFileSync } from 'node:fs'

interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

interface Tool {
  readonly name: string
  readonly inputSchema: Schema
}

/** A call of every tool of a dialect with what it needs, and `#` for its id. */
export function toolCalls(dialect: string): string[] {
  const path = `../../packages/waymark/src/dialects/${dialect}/tools.generated.json`
  const tools = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as Tool[]
  return tools.map(({ name, inputSchema }) => {
    const params = { name, arguments: toValue(inputSchema) }
    return JSON.stringify({ jsonrpc: '2.0', id: '#', method: 'tools/call', params })
  })
}

function toValue({
  type,
  enum: choices,
  minimum = 1,
  properties = {},
  required = [],
}: Schema): unknown {
  if (choices !== undefined) return choices[0]
  switch (type) {
    case 'object':
      return Object.fromEntries(required.map((name) => [name, toValue(properties[name] ?? {})]))
    case 'integer':
    case 'number':
      return minimum
    case 'boolean':
      return true
    case 'array':
      return ['1']
    case undefined:
    default:
      return '1'
  }
}
