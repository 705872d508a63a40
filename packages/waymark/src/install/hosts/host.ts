import type { Edit, Json } from '../format/edit.ts'
import type { FormatName } from '../format/formats.ts'
import type { Platform } from '../machine/machine.ts'
import type { HookFiles } from './hook-files.ts'
import type { HookLine } from './hooks.ts'

export type Scope = 'project' | 'global'

/** What a host connects to. */
export type Server =
  | { readonly kind: 'stdio'; readonly command: string; readonly args: readonly string[] }
  | {
      readonly kind: 'http'
      readonly url: string
      /** Environment variable that holds the credential; a secret is never written into a file. */
      readonly tokenVariable: string
    }

/** Files that may hold the configuration; the first one that exists counts, else the first. */
export type Files = readonly string[] | Readonly<Record<Platform, readonly string[]>>

/** A program that runs agents, and how to configure a server for it. */
export interface Host {
  readonly name: string
  readonly title: string
  readonly format: FormatName
  /** The object that holds the servers by name, or the list of them. */
  readonly key: string
  /** Servers are elements of a list, each with its name inside. */
  readonly isListed?: boolean
  /** Keys that a file must have, or that the host would add on its first run, which would leave the file behind. */
  readonly defaults?: Readonly<Record<string, Json>>
  /** In the project relative to its root, elsewhere with a place in front: `{home}/.cursor/mcp.json`. */
  readonly files: { readonly [S in Scope]?: Files }
  /** What shows that it is in use here. */
  readonly signs: {
    readonly project?: readonly string[]
    readonly global?: readonly string[]
    readonly commands?: readonly string[]
  }
  readonly stdio: (server: Server & { kind: 'stdio' }) => Json
  /** Absent where the configuration file cannot name an HTTP server. */
  readonly http?: (server: Server & { kind: 'http' }, scope: Scope) => Json
  /**
   * The working folder of servers: the project's; `unknown`, so that the entry needs the path; or unknown, but the host
   * expands this variable to the project's folder.
   */
  readonly folder: 'project' | 'unknown' | { readonly variable: string }
  /** A desktop application whose PATH is not the one of a shell. */
  readonly isDesktop?: boolean
  /** Servers get only the variables that every process needs. */
  readonly isEnvironmentCleared?: boolean
  readonly hook?: Hook
  /** What it reads for instructions: a file in the project's root, and one for all projects. */
  readonly instructions?: {
    readonly project: 'AGENTS.md' | 'CLAUDE.md' | 'GEMINI.md'
    readonly global?: string
  }
  /** What remains to be done by a person. */
  readonly next: string | Readonly<Record<Scope, string>>
  /** Opens the host and asks it to install the server. */
  readonly link?: (name: string, entry: Json) => string
}

/** Commands that the host runs on events of a session, and whose output it takes into account. */
interface Hook {
  /** Where the edits are made; with `contents`, the folder of those files. */
  readonly files: { readonly [S in Scope]?: Files }
  /** What runs a line of shell for each event. */
  readonly edits?: (line: HookLine) => readonly Edit[]
  /** Files of our own, in a host whose hooks are programs. */
  readonly contents?: HookFiles
  /** A module that the host loads from a folder of its own, for what its hooks cannot do. */
  readonly plugin?: { readonly files: Hook['files']; readonly contents: HookFiles }
  /** Name for `waymark hook --host`, which decides the form of input and output. */
  readonly dialect: string
  /** What remains to be done by a person before the host runs it. */
  readonly next?: string
}

export function nextStep({ next }: Host, scope: Scope): string {
  return typeof next === 'string' ? next : next[scope]
}

/** The name that a host knows us by. Gemini CLI cannot handle underscores. */
export const SERVER_NAME = 'waymark'
