import { invalidParams, resourceNotFound } from '../../protocol/error.ts'
import type { GetPromptResult, Prompt } from '../../protocol/prompt.ts'
import type { ReadResourceResult, Resource, ResourceTemplate } from '../../protocol/resource.ts'
import type { CallToolResult, Tool } from '../../protocol/tool.ts'
import type { Awaitable, CallContext } from '../call-context.ts'
import type { ServerHandler } from '../handler.ts'
import { requireArguments } from './prompt-definition.ts'
import type { PromptDefinition } from './prompt-definition.ts'
import { compileTemplate, toReadResult } from './resource-definition.ts'
import type {
  CompiledTemplate,
  ResourceDefinition,
  ResourceTemplateDefinition,
} from './resource-definition.ts'
import type { CompiledTool } from './tool-definition.ts'

const MAX_QUOTED = 100

/** What an application registered piece by piece, seen as a handler. */
export class Registry {
  readonly #tools = new Shelf<CompiledTool, Tool>('tool', ({ tool }) => tool)
  readonly #resources = new Shelf<ResourceDefinition, Resource>('resource', withoutRead)
  readonly #templates = new Shelf<CompiledTemplate, ResourceTemplate>(
    'resource template',
    ({ listing }) => listing,
  )
  readonly #prompts = new Shelf<PromptDefinition, Prompt>('prompt', withoutRender)
  #complete: ServerHandler['complete']

  /** True if some tool lets its calls go on as tasks. */
  get usesTasks(): boolean {
    return [...this.#tools.items()].some((tool) => tool.usesTasks)
  }

  addTool(tool: CompiledTool): void {
    this.#tools.add(tool.tool.name, tool)
  }

  addResource(resource: ResourceDefinition): void {
    this.#resources.add(resource.uri, resource)
  }

  addTemplate(definition: ResourceTemplateDefinition): void {
    this.#templates.add(definition.uriTemplate, compileTemplate(definition))
  }

  addPrompt(prompt: PromptDefinition): void {
    this.#prompts.add(prompt.name, prompt)
  }

  setCompletion(complete: NonNullable<ServerHandler['complete']>): void {
    if (this.#complete !== undefined) throw new Error('completion is defined twice')
    this.#complete = complete
  }

  /** The handler for what has been registered so far. */
  toHandler(): ServerHandler {
    const hasResources = this.#resources.size + this.#templates.size > 0
    return {
      ...(this.#tools.size > 0 && {
        listTools: () => this.#tools.list,
        callTool: (name, args, context) => this.#callTool(name, args, context),
      }),
      ...(hasResources && {
        listResources: () => this.#resources.list,
        listResourceTemplates: () => this.#templates.list,
        readResource: (uri, context) => this.#readResource(uri, context),
      }),
      ...(this.#prompts.size > 0 && {
        listPrompts: () => this.#prompts.list,
        getPrompt: (name, args, context) => this.#getPrompt(name, args, context),
      }),
      ...(this.#complete && { complete: this.#complete }),
    }
  }

  #callTool(name: string, args: object, context: CallContext): Promise<CallToolResult> {
    const tool = this.#tools.get(name)
    if (tool === undefined) throw invalidParams(`unknown tool: ${name.slice(0, MAX_QUOTED)}`)
    return tool.call(args, context)
  }

  async #readResource(uri: string, context: CallContext): Promise<ReadResourceResult> {
    const resource = this.#resources.get(uri)
    if (resource !== undefined) {
      return toReadResult(await resource.read(uri, context), uri, resource.mimeType)
    }
    for (const { listing, template, read } of this.#templates.items()) {
      const variables = template.match(uri)
      if (variables === undefined) continue
      return toReadResult(await read(uri, variables, context), uri, listing.mimeType)
    }
    throw resourceNotFound(uri)
  }

  #getPrompt(
    name: string,
    args: Readonly<Record<string, string>>,
    context: CallContext,
  ): Awaitable<GetPromptResult> {
    const prompt = this.#prompts.get(name)
    if (prompt === undefined) throw invalidParams(`unknown prompt: ${name.slice(0, MAX_QUOTED)}`)
    requireArguments(prompt, args)
    return prompt.render(args, context)
  }
}

/** Things of one kind by their key, with the list that clients see. */
class Shelf<Item, Listed> {
  readonly #kind: string
  readonly #toListed: (item: Item) => Listed
  readonly #itemsByKey = new Map<string, Item>()
  // Rebuilt on change only: an unchanged array means that its serialised form is still good.
  #list: readonly Listed[] = []

  constructor(kind: string, toListed: (item: Item) => Listed) {
    this.#kind = kind
    this.#toListed = toListed
  }

  get size(): number {
    return this.#itemsByKey.size
  }

  get list(): readonly Listed[] {
    return this.#list
  }

  items(): Iterable<Item> {
    return this.#itemsByKey.values()
  }

  get(key: string): Item | undefined {
    return this.#itemsByKey.get(key)
  }

  add(key: string, item: Item): void {
    if (this.#itemsByKey.has(key)) throw new Error(`${this.#kind} ${key} is defined twice`)
    this.#itemsByKey.set(key, item)
    this.#list = [...this.#list, this.#toListed(item)]
  }
}

function withoutRead({ read: _read, ...listing }: ResourceDefinition): Resource {
  return listing
}

function withoutRender({ render: _render, ...listing }: PromptDefinition): Prompt {
  return listing
}
