import type { Json } from '../format/edit.ts'
import type { Server } from './host.ts'

type Stdio = Server & { kind: 'stdio' }
type Http = Server & { kind: 'http' }

/** The host's syntax for an environment variable inside a string. */
type Spelling = (variable: string) => string

export const dollarBraces: Spelling = (variable) => `\${${variable}}`
export const dollarEnv: Spelling = (variable) => `\${env:${variable}}`
export const braceEnv: Spelling = (variable) => `{env:${variable}}`

/** The tools that change nothing: hosts whose entries can say so need not ask before each call. */
export const READING_TOOLS: readonly string[] = [
  'brief',
  'code_why',
  'events',
  'recall',
  'task_get',
]

/** `{ command, args }`, with the host's extra keys before or after. */
export function command(extras: Extras = {}): (server: Stdio) => Json {
  return ({ command: program, args }) => ({
    ...extras.before,
    command: program,
    args: [...args],
    ...extras.after,
  })
}

/** Program and arguments in one list. */
export function commandList({ command: program, args }: Stdio): Json {
  return { type: 'local', command: [program, ...args], enabled: true }
}

interface Extras {
  readonly before?: Readonly<Record<string, Json>>
  readonly after?: Readonly<Record<string, Json>>
}

export interface UrlShape extends Extras {
  /** The key of the address. */
  readonly key?: string
  /** Without one the user has to add the credential, because only the host knows how. */
  readonly variable?: Spelling
}

export function url({ key = 'url', variable, before, after }: UrlShape = {}): (
  server: Http,
) => Json {
  return ({ url: address, tokenVariable }) => ({
    ...before,
    [key]: address,
    ...(variable && { headers: { Authorization: `Bearer ${variable(tokenVariable)}` } }),
    ...after,
  })
}
