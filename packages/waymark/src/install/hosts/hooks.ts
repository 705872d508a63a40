import type { Edit } from '../format/edit.ts'

/** Claude Code invented this shape; Codex and Gemini CLI took it over. */
export function sessionStart(line: string): readonly Edit[] {
  const value = { hooks: [{ type: 'command', command: line }] }
  return [{ kind: 'item', path: ['hooks', 'SessionStart'], value }]
}

export function cursorSessionStart(line: string): readonly Edit[] {
  return [VERSION, { kind: 'item', path: ['hooks', 'sessionStart'], value: { command: line } }]
}

/** A command line per shell; PowerShell needs `&` to run a quoted path. */
export function copilotSessionStart(line: string): readonly Edit[] {
  const powershell = line.startsWith('"') ? `& ${line}` : line
  return [
    VERSION,
    {
      kind: 'item',
      path: ['hooks', 'sessionStart'],
      value: { type: 'command', bash: line, powershell, timeoutSec: 10 },
    },
  ]
}

const VERSION: Edit = { kind: 'default', path: ['version'], value: 1 }
