import type { Fields } from './model/wire.ts'

/** Where one host is played. */
export interface Place {
  readonly home: string
  readonly repository: string
  /** Of the model service. */
  readonly origin: string
}

export interface Action {
  /** The tool as the host names it. */
  readonly tool: string
  readonly args: Fields
}

/** A host as data: how to install it, what makes it run unattended, and how its own tools are called. */
export interface LabHost {
  readonly id: string
  readonly title: string
  /** Packages with their versions, installed together. */
  readonly packages: readonly string[]
  /** The command among the binaries of its packages. */
  readonly program: string
  /** For `waymark install`; absent if it does not know the host. */
  readonly install?: { readonly host: string; readonly scope: 'project' | 'global' }
  /** Connects Waymark where `waymark install` does not, so that the rest of the story can be told; written over `files`. */
  readonly byHand?: (place: Place) => Files
  /** Trust, approval and the model service: absolute paths and contents, written before the install. */
  readonly files?: (place: Place) => Files
  readonly env: (place: Place) => Readonly<Record<string, string>>
  /** Command lines of the host to run before the install, for what its files cannot hold. */
  readonly prepare?: (place: Place) => readonly (readonly string[])[]
  /** Command lines to run after the install. */
  readonly approve?: readonly (readonly string[])[]
  /** Command lines that end what the host leaves running. */
  readonly end?: readonly (readonly string[])[]
  readonly start: (prompt: string) => readonly string[]
  readonly resume: (prompt: string) => readonly string[]
  /** Calls of the host's own tools that replace the text of a file. */
  readonly edit: (change: Change) => readonly Action[]
  /** Finds tools that the model is not given at first. */
  readonly search?: (tools: readonly string[]) => Action
  /** Calls a tool that was found but never is among those offered. */
  readonly callFound?: (tool: string, args: Fields) => Action
  /** What a reader of the table must know. */
  readonly note?: string
}

export type Files = Readonly<Record<string, string>>

export interface Change {
  /** Absolute. */
  readonly path: string
  readonly relative: string
  readonly before: string
  readonly after: string
}
