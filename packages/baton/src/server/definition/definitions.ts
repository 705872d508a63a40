import type { ServerHandler } from '../handler.ts'
import type { PromptDefinition } from './prompt-definition.ts'
import type { ResourceDefinition, ResourceTemplateDefinition } from './resource-definition.ts'
import type { Schema } from './schema.ts'
import type { ToolDefinition } from './tool-definition.ts'

/** What clients can be offered, by the names under which a server advertises it. */
export type Feature = 'tools' | 'resources' | 'prompts' | 'completions'

/** Takes what an application offers, piece by piece: a server does, and so does what a loader is given. */
export interface Definitions {
  /** Adds a tool. */
  tool<Input extends Schema>(definition: ToolDefinition<Input>): this
  /** Adds a resource at a fixed URI. */
  resource(definition: ResourceDefinition): this
  /** Adds a family of resources. */
  resourceTemplate(definition: ResourceTemplateDefinition): this
  /** Adds a prompt. */
  prompt(definition: PromptDefinition): this
  /** Sets what suggests values for arguments of prompts and resource templates. */
  completion(complete: NonNullable<ServerHandler['complete']>): this
}
