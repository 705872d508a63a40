import { invalidParams } from '../../protocol/error.ts'
import type { GetPromptResult, Prompt } from '../../protocol/server-features/prompt.ts'
import type { Awaitable, CallContext } from '../call-context.ts'

/** A prompt: its listing and its render function. */
export interface PromptDefinition extends Prompt {
  readonly render: (
    args: Readonly<Record<string, string>>,
    context: CallContext,
  ) => Awaitable<GetPromptResult>
}

/** Refuses a request that lacks a required argument. */
export function requireArguments(prompt: Prompt, args: Readonly<Record<string, string>>): void {
  const missing =
    prompt.arguments?.filter(({ name, required }) => required && !(name in args)) ?? []
  if (missing.length === 0) return
  const names = missing.map(({ name }) => name).join(', ')
  throw invalidParams(`prompt ${prompt.name} needs ${names}`)
}
