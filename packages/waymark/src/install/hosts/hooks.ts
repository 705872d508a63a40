import { type HookEvent, HOOK_EVENTS, HOOK_HOSTS, type HookHost } from '../../hook/host/hosts.ts'
import type { Edit, Json } from '../format/edit.ts'
import { READING_TOOLS } from './shapes.ts'

/** The command line for an event. */
export type HookLine = (event: HookEvent) => string

/** One hook of a host: its name there, the line to run, and the tools that it is about. */
interface NativeHook {
  readonly name: string
  readonly line: string
  readonly matcher: string | undefined
}

/** Claude Code invented this shape; Codex, Gemini CLI and Qwen Code took it over. */
export function claudeHooks(host: string): (line: HookLine) => readonly Edit[] {
  return (line) =>
    nativeHooks(host, line).map(({ name, line: command, matcher }) =>
      item(name, {
        ...(matcher !== undefined && { matcher }),
        hooks: [{ type: 'command', command }],
      }),
    )
}

export function cursorHooks(line: HookLine): readonly Edit[] {
  const hooks = nativeHooks('cursor', line).map(({ name, line: command, matcher }) =>
    // An edit is all that `afterFileEdit` is about.
    item(name, { command, ...(matcher !== undefined && name === 'preToolUse' && { matcher }) }),
  )
  return [VERSION, ...hooks]
}

/** A command line per shell; PowerShell needs `&` to run a quoted path. */
export function copilotHooks(line: HookLine): readonly Edit[] {
  const hooks = nativeHooks('copilot', line).map(({ name, line: bash }) => {
    const powershell = bash.startsWith('"') ? `& ${bash}` : bash
    return item(name, { type: 'command', bash, powershell, timeoutSec: 10 })
  })
  return [VERSION, ...hooks]
}

/** Lets the tools that only read run without a question, in hosts that have rules of this form. */
export function allowReads(): readonly Edit[] {
  return READING_TOOLS.map((tool) => ({
    kind: 'item',
    path: ['permissions', 'allow'],
    value: `mcp__waymark__${tool}`,
  }))
}

function nativeHooks(name: string, line: HookLine): readonly NativeHook[] {
  const host: HookHost | undefined = HOOK_HOSTS[name]
  return HOOK_EVENTS.flatMap((event) =>
    (host?.events[event] ?? []).map((native) => ({
      name: native,
      line: line(event),
      matcher: event.endsWith('-edit') ? host?.editors : undefined,
    })),
  )
}

function item(name: string, value: Json): Edit {
  return { kind: 'item', path: ['hooks', name], value }
}

const VERSION: Edit = { kind: 'default', path: ['version'], value: 1 }
