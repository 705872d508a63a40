import { isDeepStrictEqual } from 'node:util'
import { resolve } from 'node:path'
import { JSON_FORMAT } from '../install/format/json.ts'
import { type Json } from '../install/format/edit.ts'
import { readConfigFile, replaceFile } from '../install/config-file.ts'
import { type Machine, machineOf, toPath } from '../install/machine.ts'
import { findProgram, type RunningProcess } from '../install/program.ts'
import { decode, encode } from '../install/text.ts'
import { locateProject } from '../store/project.ts'
import type { McpInstallOptions } from './ultragit-options.ts'
import type { Terminal } from './terminal.ts'

const SERVER = 'ultragit'

/** Where Claude Desktop keeps its configuration, as the seed says. */
const DESKTOP_FILES = {
  linux: '{home}/.config/claude/claude_desktop_config.json',
  darwin: '{home}/Library/Application Support/Claude/claude_desktop_config.json',
  win32: '{apps}/Claude/claude_desktop_config.json',
} as const satisfies Record<Machine['platform'], string>

/** Writes the server's entry and leaves every other byte of the file alone. Answers the exit code. */
export async function installMcp(
  options: McpInstallOptions,
  terminal: Terminal,
  running: RunningProcess = { node: process.execPath, script: process.argv[1] ?? '' },
): Promise<number> {
  const machine = machineOf(terminal.env)
  const directory = resolve(terminal.cwd, options.directory ?? '.')
  const root = locateProject(directory)?.root ?? directory
  const path = configPath(options, machine, { cwd: terminal.cwd, root })
  const file = readConfigFile(path)
  const { mark, text } = decode(file.bytes)
  const [command = 'waymark', ...args] = findProgram(machine, running).words
  const value = { command, args: [...args, 'mcp', 'start'], cwd: root }
  const edit = { kind: 'entry' as const, path: ['mcpServers', SERVER], value }
  const before = text.trim() === '' ? undefined : JSON_FORMAT.find(text, edit)
  const state = toState(before, value)
  if (state !== 'unchanged') {
    const next = JSON_FORMAT.put(text, edit)
    await replaceFile(file, encode({ mark, text: next.endsWith('\n') ? next : `${next}\n` }))
  }
  terminal.out(
    options.json === true
      ? `${JSON.stringify({ state, file: path, server: SERVER })}\n`
      : `${state}: ${SERVER} in ${path}\n`,
  )
  return 0
}

function configPath(
  { config, global }: McpInstallOptions,
  machine: Machine,
  { cwd, root }: { readonly cwd: string; readonly root: string },
): string {
  if (config !== undefined) return resolve(cwd, config)
  if (global === true) return toPath(machine, DESKTOP_FILES[machine.platform])
  return resolve(root, '.mcp.json')
}

function toState(before: Json | undefined, value: Json): 'added' | 'updated' | 'unchanged' {
  if (before === undefined) return 'added'
  return isDeepStrictEqual(before, value) ? 'unchanged' : 'updated'
}
