import { ERROR_CODES, ProtocolError } from '../../protocol/error.ts'
import { decodeHeaderValue } from '../../protocol/header-value.ts'
import { isJsonObject } from '../../protocol/json-rpc.ts'
import type { Tool } from '../../protocol/tool.ts'
import type { HeaderReader } from '../call/call.ts'

/** An argument of a tool that clients repeat in a header, so that proxies need not read bodies. */
interface HeaderParameter {
  /** Where the argument is, from the outermost object inwards. */
  readonly path: readonly string[]
  readonly header: string
}

type ParametersByTool = ReadonlyMap<string, readonly HeaderParameter[]>

const ANNOTATION = 'x-mcp-header'
const PREFIX = 'Mcp-Param-'
const INTEGER = /^-?[0-9]{1,16}$/
const NONE: readonly HeaderParameter[] = []

/** Lists are compared by identity, as they are for serialising them: a list that did not change is read once. */
const parametersByList = new WeakMap<readonly Tool[], ParametersByTool>()

/** The header parameters of a tool. */
export function findHeaderParameters(
  tools: readonly Tool[],
  name: unknown,
): readonly HeaderParameter[] {
  let parametersByTool = parametersByList.get(tools)
  if (parametersByTool === undefined) {
    parametersByTool = new Map(tools.map((tool) => [tool.name, collect(tool.inputSchema, [])]))
    parametersByList.set(tools, parametersByTool)
  }
  return (typeof name === 'string' && parametersByTool.get(name)) || NONE
}

/** Refuses a call whose headers say something else than its arguments. */
export function checkHeaderParameters(
  parameters: readonly HeaderParameter[],
  args: unknown,
  header: HeaderReader,
): void {
  for (const { path, header: name } of parameters) {
    const value = path.reduce(memberOf, args)
    const text = header(name.toLowerCase())
    if (text === null && value !== undefined && value !== null)
      throw mismatch(`header ${name} is missing`)
    if (text !== null && !isSame(value, decodeHeaderValue(text.trim())))
      throw mismatch(`header ${name} differs from the body`)
  }
}

/** Walks objects through their properties alone; elsewhere an annotation means nothing. */
function collect(schema: unknown, path: readonly string[]): HeaderParameter[] {
  const properties = isJsonObject(schema) ? schema['properties'] : undefined
  if (!isJsonObject(properties)) return []
  return Object.entries(properties).flatMap(([name, property]) => {
    const here = [...path, name]
    const annotation = isJsonObject(property) ? property[ANNOTATION] : undefined
    const own = typeof annotation === 'string' ? [{ path: here, header: PREFIX + annotation }] : []
    return [...own, ...collect(property, here)]
  })
}

function isSame(value: unknown, text: string | undefined): boolean {
  if (text === undefined) return false
  if (typeof value === 'number') return INTEGER.test(text) && Number(text) === value
  return typeof value === 'boolean' ? String(value) === text : value === text
}

function memberOf(value: unknown, name: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

function mismatch(message: string): ProtocolError {
  return new ProtocolError(ERROR_CODES.headerMismatch, message)
}
