import { invalidParams } from '../protocol/error.ts'
import type { Tool } from '../protocol/tool.ts'
import type { ServerHandler } from './handler.ts'
import type { CompiledTool } from './tool-definition.ts'

/** What an application registered piece by piece, seen as a handler. */
export class Registry {
  readonly #toolsByName = new Map<string, CompiledTool>()
  // The list is rebuilt on change only: an unchanged array means that its serialised form is still good.
  #tools: readonly Tool[] = []

  addTool(tool: CompiledTool): void {
    const { name } = tool.tool
    if (this.#toolsByName.has(name)) throw new Error(`tool ${name} is defined twice`)
    this.#toolsByName.set(name, tool)
    this.#tools = [...this.#toolsByName.values()].map((compiled) => compiled.tool)
  }

  /** The handler for what has been registered so far. */
  toHandler(): ServerHandler {
    if (this.#toolsByName.size === 0) return {}
    return {
      listTools: () => this.#tools,
      callTool: (name, args, context) => {
        const tool = this.#toolsByName.get(name)
        if (tool === undefined) throw invalidParams(`unknown tool: ${name.slice(0, 100)}`)
        return tool.call(args, context)
      },
    }
  }
}
