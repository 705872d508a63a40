import type { ContentBlock } from './content.ts'
import type { Icon } from '../implementation.ts'
import type { JsonObject } from '../json-rpc.ts'
import type { Meta } from '../meta.ts'

/** Hints about the behaviour of a tool; clients must not rely on them. */
export interface ToolAnnotations {
  readonly title?: string
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

/** A JSON Schema, draft 2020-12 unless `$schema` says otherwise. */
export type JsonSchema = Readonly<JsonObject>

/** A tool as listed by `tools/list`. */
export interface Tool {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: JsonSchema
  readonly outputSchema?: JsonSchema
  readonly annotations?: ToolAnnotations
  readonly icons?: readonly Icon[]
  readonly _meta?: Meta
}

/**
 * The result of `tools/call`.
 * Without `content`, `structuredContent` is also sent as JSON text, for models that read only text.
 */
export interface CallToolResult {
  readonly content?: readonly ContentBlock[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
  readonly _meta?: Meta
}
