import path from 'node:path'
import { Failure } from '../../core/error.ts'

export const PLATFORMS = ['linux', 'darwin', 'win32'] as const

export type Platform = (typeof PLATFORMS)[number]

/** Platform and environment of the user. Paths derive from these alone, so that a test can have its own home. */
export interface Machine {
  readonly platform: Platform
  readonly env: Readonly<Record<string, string | undefined>>
}

export function machineOf(
  env: Machine['env'],
  platform: NodeJS.Platform = process.platform,
): Machine {
  const known = PLATFORMS.find((name) => name === platform)
  // The BSDs and the like keep files where Linux does.
  return { platform: known ?? 'linux', env }
}

type Place = (machine: Machine) => string

/** Undefined if the variable is not set. */
export function homeOf({ platform, env }: Machine): string | undefined {
  const folder = platform === 'win32' ? (env['USERPROFILE'] ?? env['HOME']) : env['HOME']
  return isSet(folder) ? folder : undefined
}

const home: Place = (machine) => {
  const folder = homeOf(machine)
  if (folder !== undefined) return folder
  const name = machine.platform === 'win32' ? 'USERPROFILE' : 'HOME'
  throw new Failure('invalid_input', `${name} is not set`)
}

const xdg: Place = (machine) => variable(machine, 'XDG_CONFIG_HOME', '{home}/.config')

/** The folders that hosts keep their files in. */
const PLACES = {
  home,
  xdg,
  /** Where desktop applications keep their settings. */
  apps: (machine) => {
    if (machine.platform === 'win32') return variable(machine, 'APPDATA', '{home}/AppData/Roaming')
    return machine.platform === 'darwin'
      ? toPath(machine, '{home}/Library/Application Support')
      : xdg(machine)
  },
  local: (machine) => variable(machine, 'LOCALAPPDATA', '{home}/AppData/Local'),
  claude: (machine) => variable(machine, 'CLAUDE_CONFIG_DIR', '{home}/.claude'),
  // Its main file lies in the home folder itself, unless there is a folder for everything.
  claudeHome: (machine) => variable(machine, 'CLAUDE_CONFIG_DIR', '{home}'),
  codex: (machine) => variable(machine, 'CODEX_HOME', '{home}/.codex'),
  copilot: (machine) => variable(machine, 'COPILOT_HOME', '{home}/.copilot'),
  cline: (machine) => variable(machine, 'CLINE_DIR', '{home}/.cline'),
  clineData: (machine) => variable(machine, 'CLINE_DATA_DIR', '{cline}/data'),
  // A file, not a folder.
  clineServers: (machine) =>
    variable(machine, 'CLINE_MCP_SETTINGS_PATH', '{clineData}/settings/cline_mcp_settings.json'),
} as const satisfies Record<string, Place>

/** `{home}/.cursor/mcp.json` on this machine. */
export function toPath(machine: Machine, template: string): string {
  const [first = '', ...rest] = template.split('/')
  const name = /^\{(\w+)\}$/.exec(first)?.[1]
  const place = Object.entries(PLACES).find(([key]) => key === name)?.[1]
  return pathsOf(machine).join(place === undefined ? first : place(machine), ...rest)
}

/** Folder of the user's ledger. */
export function userFolder(machine: Machine): string {
  return toPath(machine, machine.platform === 'win32' ? '{apps}/waymark' : '{xdg}/waymark')
}

/** For display: `~` is shorter, and hides the user name. */
export function displayPath(machine: Machine, file: string, root?: string): string {
  const paths = pathsOf(machine)
  for (const [start, sign] of [
    [root, ''],
    [homeOf(machine), `~${paths.sep}`],
  ] as const) {
    const way = isSet(start) ? paths.relative(start, file) : ''
    if (way !== '' && !way.startsWith('..') && !paths.isAbsolute(way)) return sign + way
  }
  return file
}

/** By platform, because tests compute paths of other systems. */
export function pathsOf({ platform }: Machine): path.PlatformPath {
  return platform === 'win32' ? path.win32 : path.posix
}

function variable(machine: Machine, name: string, fallback: string): string {
  const value = machine.env[name]
  return isSet(value) ? value : toPath(machine, fallback)
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== ''
}
