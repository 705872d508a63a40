import type { ServerHandler } from '../handler.ts'
import type { PromptDefinition } from './prompt-definition.ts'
import type { ResourceDefinition, ResourceTemplateDefinition } from './resource-definition.ts'
import type { Schema } from './schema.ts'
import type { StructuredToolDefinition, ToolDefinition } from './tool-definition.ts'

/** A group of definitions, named as the server capability that advertises it. */
export type Feature = 'tools' | 'resources' | 'prompts' | 'completions'

/** Accepts definitions: implemented by a server, and by the object that a lazy loader gets. */
export interface Definitions {
  /** Adds a tool. */
  tool<Input extends Schema>(definition: ToolDefinition<Input>): this
  /** Adds a tool with structured content, whose type follows from the output schema. */
  tool<Input extends Schema, Output extends Schema>(
    definition: StructuredToolDefinition<Input, Output>,
  ): this
  /** Adds a resource at a fixed URI. */
  resource(definition: ResourceDefinition): this
  /** Adds resources whose URIs follow a template, from which the names of the variables follow. */
  resourceTemplate<Template extends string>(definition: ResourceTemplateDefinition<Template>): this
  /** Adds a prompt. */
  prompt(definition: PromptDefinition): this
  /** Sets the completion function for arguments of prompts and resource templates. */
  completion(complete: NonNullable<ServerHandler['complete']>): this
}
