import type { Tool } from '@waymark/baton'
import type { Failure } from '../error.ts'
import type { Operation } from '../operation.ts'

/** A view of the engine: its own names, shapes and codes for the same operations. It contains no rules. */
export interface Dialect {
  readonly name: string
  readonly server: {
    readonly name: string
    readonly version: string
    readonly instructions?: string
  }
  /** Protocol versions to insist on when asked to be strict. */
  readonly strictVersions?: readonly string[]
  /** What `tools/list` answers; made at build time so that connecting loads no schema library. */
  readonly listed: readonly Tool[]
  loadTools(): Promise<readonly DialectTool[]>
  /** The seed's JSON-RPC error for a Failure. Without one, a Failure is a tool result with `isError`. */
  toErrorCode?(failure: Failure, tool: string): DialectError
}

export interface DialectTool {
  readonly listed: Tool
  readonly operation: Operation
  /** Arguments as this dialect spells them → input of the operation. */
  toInput(args: Readonly<Record<string, unknown>>): unknown
  /** Output of the operation → result as this dialect spells it. */
  toResult(output: unknown): unknown
}

export interface DialectError {
  readonly code: number
  readonly message: string
  readonly data: Readonly<Record<string, unknown>>
}
