import { invalidParams, type Prompt, type ServerHandler } from '@waymark/baton'
import type { DialectPrompt } from '../dialects/dialect.ts'
import type { McpOptions } from './mcp/mcp-call.ts'

/** The prompts that the dialects bring along, before those that others offer. */
export function withOwnPrompts({ dialects }: McpOptions, others: ServerHandler): ServerHandler {
  const own = new Map(
    dialects.flatMap(({ ownPrompts = [] }) => ownPrompts).map((prompt) => [prompt.name, prompt]),
  )
  if (own.size === 0) return others
  const listed = [...own.values()].map(toPrompt)
  return {
    listPrompts: async (call) => [...listed, ...((await others.listPrompts?.(call)) ?? [])],
    getPrompt: async (name, args, call) => {
      const prompt = own.get(name)
      if (prompt !== undefined) return render(prompt, args)
      if (others.getPrompt !== undefined) return await others.getPrompt(name, args, call)
      throw invalidParams(`Unknown prompt: ${name.slice(0, 100)}`)
    },
  }
}

function toPrompt({ name, title, description, arguments: given }: DialectPrompt): Prompt {
  return { name, title, description, arguments: given }
}

function render(prompt: DialectPrompt, args: Readonly<Record<string, string>>) {
  const missing = prompt.arguments.find(({ name, required }) => required && !args[name])
  if (missing !== undefined) throw invalidParams(`Missing argument: ${missing.name}`)
  return {
    description: prompt.description,
    messages: [
      { role: 'user' as const, content: { type: 'text' as const, text: prompt.render(args) } },
    ],
  }
}
