import { resourceNotFound } from '../../protocol/error.ts'
import type { GetPromptResult, Prompt } from '../../protocol/server-features/prompt.ts'
import type {
  ReadResourceResult,
  Resource,
  ResourceTemplate,
} from '../../protocol/server-features/resource.ts'
import type { CallToolResult, Tool } from '../../protocol/server-features/tool.ts'
import type { Awaitable, CallContext } from '../call-context.ts'
import type { ServerHandler } from '../handler.ts'
import type { Definitions, Feature } from './definitions.ts'
import { PendingLoads } from './pending-loads.ts'
import { requireArguments } from './prompt-definition.ts'
import type { PromptDefinition } from './prompt-definition.ts'
import { compileTemplate, toReadResult } from './resource-definition.ts'
import type {
  CompiledTemplate,
  ResourceDefinition,
  ResourceTemplateDefinition,
} from './resource-definition.ts'
import type { Schema } from './schema.ts'
import { Catalog } from './catalog.ts'
import { compileTool } from './tool-definition.ts'
import type { CompiledTool, StructuredToolDefinition, ToolDefinition } from './tool-definition.ts'

type Complete = NonNullable<ServerHandler['complete']>

/** The definitions of an application, which become one handler. */
export class Registry implements Definitions {
  readonly #tools = new Catalog<CompiledTool, Tool>('tool', ({ tool }) => tool)
  readonly #resources = new Catalog<ResourceDefinition, Resource>('resource', withoutRead)
  readonly #templates = new Catalog<CompiledTemplate, ResourceTemplate>(
    'resource template',
    ({ listing }) => listing,
  )
  readonly #prompts = new Catalog<PromptDefinition, Prompt>('prompt', withoutRender)
  #complete: Complete | undefined
  readonly #lazyFeatures = new Set<Feature>()
  readonly #loads = new PendingLoads()
  #hasTasks: boolean
  #isSealed = false

  constructor({ hasTasks }: { readonly hasTasks: boolean }) {
    this.#hasTasks = hasTasks
  }

  /** Whether tool calls may become tasks, because the application or a tool enabled it. */
  get hasTasks(): boolean {
    return this.#hasTasks
  }

  tool<Input extends Schema, Output extends Schema>(
    definition: ToolDefinition<Input> | StructuredToolDefinition<Input, Output>,
  ): this {
    return this.#define(() => {
      this.#tools.add(definition.name, compileTool(definition))
      if (definition.task !== undefined) this.#hasTasks = true
    })
  }

  resource(definition: ResourceDefinition): this {
    return this.#define(() => this.#resources.add(definition.uri, definition))
  }

  resourceTemplate<Template extends string>(
    definition: ResourceTemplateDefinition<Template>,
  ): this {
    return this.#define(() =>
      this.#templates.add(definition.uriTemplate, compileTemplate(definition)),
    )
  }

  prompt(definition: PromptDefinition): this {
    return this.#define(() => this.#prompts.add(definition.name, definition))
  }

  completion(complete: Complete): this {
    return this.#define(() => this.#setCompletion(complete))
  }

  /** Advertises features whose definitions `load` will add when a client first needs them. */
  lazy(features: readonly Feature[], load: (definitions: Definitions) => Awaitable<void>): void {
    for (const feature of features) this.#lazyFeatures.add(feature)
    this.#loads.add(features, async () => {
      const loaded = new Registry({ hasTasks: false })
      await load(loaded)
      this.#merge(loaded, features)
    })
  }

  /** The handler for the definitions so far. */
  toHandler(): ServerHandler {
    const offered = new Set([...this.#lazyFeatures, ...this.#features()])
    return {
      ...(offered.has('tools') && {
        listTools: () => this.#whenLoaded('tools', () => this.#tools.list),
        callTool: (name, args, context) => this.#callTool(name, args, context),
      }),
      ...(offered.has('resources') && {
        listResources: () => this.#whenLoaded('resources', () => this.#resources.list),
        listResourceTemplates: () => this.#whenLoaded('resources', () => this.#templates.list),
        readResource: (uri, context) => this.#readResource(uri, context),
      }),
      ...(offered.has('prompts') && {
        listPrompts: () => this.#whenLoaded('prompts', () => this.#prompts.list),
        getPrompt: (name, args, context) => this.#getPrompt(name, args, context),
      }),
      ...(offered.has('completions') && {
        complete: (request, context) =>
          this.#whenLoaded('completions', () => this.#complete?.(request, context) ?? NO_VALUES),
      }),
    }
  }

  #callTool(name: string, args: object, context: CallContext): Awaitable<CallToolResult> {
    const tool = this.#tools.get(name)
    if (tool !== undefined) return tool.call(args, context)
    return this.#whenLoaded('tools', () => this.#tools.require(name).call(args, context))
  }

  async #readResource(uri: string, context: CallContext): Promise<ReadResourceResult> {
    const known = this.#resources.get(uri)
    const resource = known ?? (await this.#whenLoaded('resources', () => this.#resources.get(uri)))
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
    const render = (prompt: PromptDefinition): Awaitable<GetPromptResult> => {
      requireArguments(prompt, args)
      return prompt.render(args, context)
    }
    const known = this.#prompts.get(name)
    if (known !== undefined) return render(known)
    return this.#whenLoaded('prompts', () => render(this.#prompts.require(name)))
  }

  #whenLoaded<T>(feature: Feature, get: () => Awaitable<T>): Awaitable<T> {
    const loading = this.#loads.ready(feature)
    return loading === undefined ? get() : loading.then(get)
  }

  /** Adds all definitions of another registry, or none if one of them is refused. */
  #merge(loaded: Registry, features: readonly Feature[]): void {
    const unexpected = loaded.#features().find((feature) => !features.includes(feature))
    if (unexpected !== undefined)
      throw new Error(`a lazy loader of ${features.join()} defined ${unexpected}`)
    if (loaded.hasTasks && !this.hasTasks) {
      throw new Error('a lazily loaded tool has tasks: set the server option `tasks`')
    }
    const merges = [
      this.#tools.prepareMerge(loaded.#tools),
      this.#resources.prepareMerge(loaded.#resources),
      this.#templates.prepareMerge(loaded.#templates),
      this.#prompts.prepareMerge(loaded.#prompts),
    ]
    if (loaded.#complete !== undefined) this.#setCompletion(loaded.#complete)
    for (const merge of merges) merge()
    loaded.#isSealed = true
  }

  #features(): Feature[] {
    return [
      ...(this.#tools.size > 0 ? (['tools'] as const) : []),
      ...(this.#resources.size + this.#templates.size > 0 ? (['resources'] as const) : []),
      ...(this.#prompts.size > 0 ? (['prompts'] as const) : []),
      ...(this.#complete ? (['completions'] as const) : []),
    ]
  }

  #define(add: () => void): this {
    if (this.#isSealed) throw new Error('a lazy loader added a definition after it had returned')
    add()
    return this
  }

  #setCompletion(complete: Complete): void {
    if (this.#complete !== undefined) throw new Error('completion is defined twice')
    this.#complete = complete
  }
}

const NO_VALUES = { values: [] }

function withoutRead({ read: _read, ...listing }: ResourceDefinition): Resource {
  return listing
}

function withoutRender({ render: _render, ...listing }: PromptDefinition): Prompt {
  return listing
}
