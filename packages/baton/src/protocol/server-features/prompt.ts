import type { Role } from './annotation.ts'
import type { ContentBlock } from './content.ts'
import type { Icon } from '../implementation.ts'
import type { Meta } from '../meta.ts'

/** An argument of a prompt. */
export interface PromptArgument {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly required?: boolean
}

/** A prompt as listed by `prompts/list`. */
export interface Prompt {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly arguments?: readonly PromptArgument[]
  readonly icons?: readonly Icon[]
  readonly _meta?: Meta
}

/** One message of a rendered prompt. */
export interface PromptMessage {
  readonly role: Role
  readonly content: ContentBlock
}

/** The result of `prompts/get`. */
export interface GetPromptResult {
  readonly description?: string
  readonly messages: readonly PromptMessage[]
  readonly _meta?: Meta
}
