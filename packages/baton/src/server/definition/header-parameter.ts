import { ERROR_CODES, ProtocolError } from '../../protocol/error.ts'
import { decodeHeaderValue } from '../../protocol/header-value.ts'
import { isJsonObject } from '../../protocol/json-rpc.ts'
import { readParameterHeaders } from '../../internal/parameter-headers.ts'
import type { ParameterHeader } from '../../internal/parameter-headers.ts'
import type { Tool } from '../../protocol/server-features/tool.ts'
import type { HeaderReader } from '../call/call.ts'

type HeadersByTool = ReadonlyMap<string, readonly ParameterHeader[]>

const INTEGER = /^-?[0-9]{1,16}$/
const NONE: readonly ParameterHeader[] = []

/** Cached by the identity of the tool list, as its serialised form is: an unchanged list is read once. */
const headersByList = new WeakMap<readonly Tool[], HeadersByTool>()

/** The arguments of a tool that clients repeat in headers, so that proxies need not parse bodies. */
export function findHeaderParameters(
  tools: readonly Tool[],
  name: unknown,
): readonly ParameterHeader[] {
  let headersByTool = headersByList.get(tools)
  if (headersByTool === undefined) {
    headersByTool = new Map(
      tools.map((tool) => [tool.name, readParameterHeaders(tool.inputSchema)] as const),
    )
    headersByList.set(tools, headersByTool)
  }
  return (typeof name === 'string' && headersByTool.get(name)) || NONE
}

/** Refuses a call whose headers differ from its arguments. */
export function checkHeaderParameters(
  parameters: readonly ParameterHeader[],
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
