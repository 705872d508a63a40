export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json }
export type Fields = Readonly<Record<string, Json>>

/** A tool as it is offered to the model. */
export interface OfferedTool {
  readonly name: string
  /** Where a service groups tools, the group. */
  readonly namespace?: string | undefined
  /** Takes a text instead of parameters, which a call has as `input`; or finds tools, with a form of its own. */
  readonly form?: 'freeform' | 'search'
  /** Top-level parameters with their JSON types. */
  readonly parameters: Readonly<Record<string, string>>
}

/** What a host tells the model a tool returned. */
interface ToolResult {
  /** Absent where the service does not number its calls. */
  readonly id?: string | undefined
  readonly text: string
}

/** What a model service is asked, whichever form the request has. */
export interface ModelRequest {
  readonly model: string
  readonly isStream: boolean
  readonly tools: readonly OfferedTool[]
  /** Of the whole conversation, oldest first. */
  readonly results: readonly ToolResult[]
}

export interface ToolCall {
  readonly kind: 'call'
  readonly id: string
  readonly tool: OfferedTool
  readonly args: Fields
}

export type Reply = ToolCall | { readonly kind: 'text'; readonly text: string }

/** Sent as server-sent events; `name` is for services whose events have one. */
export interface StreamEvent {
  readonly name?: string
  readonly data: Json
}

export interface Wire {
  readonly name: string
  /** Matches the path of its requests. */
  readonly path: RegExp
  readonly parse: (body: unknown, path: string) => ModelRequest
  readonly toBody: (reply: Reply, model: string) => Json
  readonly toEvents: (reply: Reply, model: string) => readonly StreamEvent[]
  /** A last line that ends a stream. */
  readonly end?: string
}

/** The parameters of a JSON schema, which hosts send in full. */
export function parametersOf(schema: unknown): Record<string, string> {
  const properties = fieldOf(schema, 'properties')
  if (typeof properties !== 'object' || properties === null) return {}
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const type = fieldOf(property, 'type')
      return [name, typeof type === 'string' ? type.toLowerCase() : 'any']
    }),
  )
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** Content is a text, or a list of parts of which some are texts; other parts reach the model as JSON. */
export function toText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return JSON.stringify(content ?? '')
  return content
    .map((part) => {
      const text = fieldOf(part, 'text')
      return typeof text === 'string' ? text : JSON.stringify(part)
    })
    .join('\n')
}
