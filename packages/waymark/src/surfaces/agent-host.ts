import type { Terminal } from './terminal/terminal.ts'

/** Variables that hosts set in the shells of their agents, and the host that each one tells of. */
const HOSTS_BY_VARIABLE: Readonly<Record<string, string>> = {
  CLAUDECODE: 'claude-code',
  CURSOR_AGENT: 'cursor',
  CODEX_SANDBOX: 'codex',
  CODEX_THREAD_ID: 'codex',
  GEMINI_CLI: 'gemini',
  COPILOT_CLI: 'copilot',
  OPENCODE: 'opencode',
  CLINE_ACTIVE: 'cline',
}

/** A variable that names its host itself. */
const ANY_HOST = 'AI_AGENT'

export const AGENT_VARIABLES: readonly string[] = [...Object.keys(HOSTS_BY_VARIABLE), ANY_HOST]

/** The program whose agent runs this command; undefined for a person, as far as the environment tells. */
export function findAgentHost(env: Terminal['env']): string | undefined {
  const variable = Object.keys(HOSTS_BY_VARIABLE).find((name) => isSet(env[name]))
  if (variable !== undefined) return HOSTS_BY_VARIABLE[variable]
  const named = env[ANY_HOST]
  return isSet(named) ? named : undefined
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && !['', '0', 'false'].includes(value)
}
