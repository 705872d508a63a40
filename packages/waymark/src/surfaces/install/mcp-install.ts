import { resolve } from 'node:path'
import { JSON_FORMAT } from '../../install/format/json.ts'
import type { Json } from '../../install/format/edit.ts'
import { readConfigFile, replaceFile } from '../../install/config-file.ts'
import { CLAUDE_DESKTOP } from '../../install/hosts/desktop-hosts.ts'
import { type Machine, machineOf } from '../../install/machine/machine.ts'
import {
  findLastingProgram,
  type Program,
  type RunningProcess,
} from '../../install/machine/program.ts'
import { locate } from '../../install/target.ts'
import { decode, encode } from '../../install/text.ts'
import { locateProject } from '../../core/project/locate-project.ts'
import type { McpInstallOptions } from '../cli/ultragit-options.ts'
import type { Terminal } from '../terminal/terminal.ts'

const ENTRY = ['mcpServers', 'ultragit'] as const

/** Writes the server's entry and leaves every other byte of the file unchanged. Returns the exit code. */
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
  const program = findLastingProgram(machine, running)
  const { state, next } = putEntry(text, entryOf(options, program, root))
  if (state !== 'unchanged') {
    await replaceFile(file, encode({ mark, text: next.endsWith('\n') ? next : `${next}\n` }))
  }
  const server = ENTRY[1]
  terminal.out(
    options.json === true
      ? `${JSON.stringify({ state, file: path, server })}\n`
      : `${state}: ${server} in ${path}\n`,
  )
  return 0
}

function configPath(
  { config, global }: McpInstallOptions,
  machine: Machine,
  { cwd, root }: { readonly cwd: string; readonly root: string },
): string {
  if (config !== undefined) return resolve(cwd, config)
  const desktop =
    global === true ? locate(CLAUDE_DESKTOP.files, { machine, scope: 'global', root }) : undefined
  return desktop ?? resolve(root, '.mcp.json')
}

type Entry = Readonly<Record<'command' | 'args' | 'cwd', Json>>

function entryOf({ global }: McpInstallOptions, program: Program, root: string): Entry {
  const isDesktop = global === true
  const [command = 'waymark', ...args] = isDesktop ? program.absolute : program.words
  // Claude Desktop ignores `cwd`.
  const repo = isDesktop ? ['--repo', root] : []
  return { command, args: [...args, 'mcp', 'start', ...repo], cwd: root }
}

/** Of an existing entry only Waymark's members are replaced; others, such as its environment, are the user's. */
function putEntry(
  text: string,
  entry: Entry,
): { readonly state: 'added' | 'updated' | 'unchanged'; readonly next: string } {
  const whole = { kind: 'entry', path: ENTRY, value: entry } as const
  const before = text.trim() === '' ? undefined : JSON_FORMAT.find(text, whole)
  if (before === undefined) return { state: 'added', next: JSON_FORMAT.put(text, whole) }
  const isObject = typeof before === 'object' && before !== null && !Array.isArray(before)
  const edits = isObject
    ? Object.entries(entry).map(([name, value]) => ({ ...whole, path: [...ENTRY, name], value }))
    : [whole]
  const next = edits.reduce((done, edit) => JSON_FORMAT.put(done, edit), text)
  return { state: next === text ? 'unchanged' : 'updated', next }
}
