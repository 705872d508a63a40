import type { DialectPrompt } from '../../packages/waymark/src/dialects/dialect.ts'
import { READING_TOOLS } from '../../packages/waymark/src/install/hosts/shapes.ts'

/** Claude Code: tools of a plugin's server have a name of their own. Those that only read need no question. */
export function claudeCommand(prompt: DialectPrompt): string {
  const tools = READING_TOOLS.map((tool) => `mcp__plugin_waymark_waymark__${tool}`)
  const fields = {
    description: prompt.description,
    'argument-hint': hintOf(prompt),
    'allowed-tools': tools.join(', '),
  }
  return markdown(fields, bodyOf(prompt, '$ARGUMENTS'))
}

/** opencode and Kilo. */
export function opencodeCommand(prompt: DialectPrompt): string {
  return markdown({ description: prompt.description }, bodyOf(prompt, '$ARGUMENTS'))
}

export function qwenCommand(prompt: DialectPrompt): string {
  return markdown({ description: prompt.description }, bodyOf(prompt, '{{args}}'))
}

export function geminiCommand(prompt: DialectPrompt): string {
  const body = bodyOf(prompt, '{{args}}')
  return `description = ${JSON.stringify(prompt.description)}\nprompt = """\n${body}\n"""\n`
}

/** The recipe, with the host's placeholder for what is typed after the command. */
function bodyOf(prompt: DialectPrompt, placeholder: string): string {
  const [argument] = prompt.arguments
  if (argument === undefined) return prompt.render({})
  if (argument.required) return prompt.render({ [argument.name]: placeholder })
  return `${prompt.render({})}\n\n${argument.description} (may be empty): ${placeholder}`
}

function hintOf({ arguments: [argument] }: DialectPrompt): string {
  return argument === undefined ? '' : JSON.stringify(`[${argument.name}]`)
}

function markdown(fields: Readonly<Record<string, string>>, body: string): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
  return ['---', ...lines, '---', '', body, ''].join('\n')
}
