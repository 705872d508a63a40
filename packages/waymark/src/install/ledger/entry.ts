import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../format/edit.ts'
import { isFields } from '../format/value-tree.ts'
import { WRITTEN_BY } from '../format/whole-file.ts'

type Texts = Readonly<Record<string, string>>

/** The command or address of an entry, independent of the host's format. */
export type Launch =
  | {
      readonly kind: 'stdio'
      readonly words: readonly [string, ...string[]]
      readonly env: Texts
      readonly cwd: string | undefined
      /** Variables of ours that the host passes on although it clears the environment. */
      readonly passed: readonly string[]
    }
  | {
      readonly kind: 'http'
      readonly url: string
      readonly headers: Texts
      readonly tokenVariable?: string
    }

/** Undefined for an entry with neither command nor address. */
export function parseEntry(entry: Json | undefined): Launch | undefined {
  if (!isFields(entry)) return undefined
  if (isFields(entry['transport'])) return parseEntry(entry['transport'] as Json)
  const [command, ...rest] = textsOf(entry['command'] ?? entry['cmd'])
  if (command !== undefined) {
    const words = [command, ...rest, ...textsOf(entry['args'])] as const
    const env = namedTexts(entry['env'] ?? entry['envs'] ?? entry['environment'])
    const passed = textsOf(entry['env_vars']).filter((name) => name.startsWith('WAYMARK_'))
    return { kind: 'stdio', words, env, cwd: textsOf(entry['cwd'])[0], passed }
  }
  const [url] = textsOf(entry['url'] ?? entry['httpUrl'] ?? entry['serverUrl'] ?? entry['uri'])
  if (url === undefined) return undefined
  const headers = namedTexts(entry['headers'] ?? entry['http_headers'])
  const [tokenVariable] = textsOf(entry['bearer_token_env_var'])
  return { kind: 'http', url, headers, ...(tokenVariable !== undefined && { tokenVariable }) }
}

/** Whether the entry of an HTTP server says where its credential comes from. */
export function namesCredential(launch: Launch & { kind: 'http' }): boolean {
  return launch.tokenVariable !== undefined || Object.keys(launch.headers).length > 0
}

/** Whether two entries have the same command or address; other keys are ignored. */
export function isSameServer(one: Json, other: Json): boolean {
  return isDeepStrictEqual(targetOf(one), targetOf(other))
}

/** Whether an entry looks like a waymark server, by its arguments alone; or a whole file like one of ours. */
export function runsWaymark(entry: Json): boolean {
  if (typeof entry === 'string') return entry.slice(0, 200).includes(WRITTEN_BY)
  const launch = parseEntry(entry)
  if (launch?.kind !== 'stdio') return false
  const serve = launch.words.indexOf('serve')
  return launch.words.slice(0, Math.max(serve, 0)).some((word) => WAYMARK.test(word))
}

const WAYMARK = /(?:^|[\\/])waymark(?:@[\w.^~-]+|\.js|\.cmd|\.exe)?$/

function targetOf(entry: Json): unknown {
  const launch = parseEntry(entry)
  return launch === undefined ? entry : launch.kind === 'http' ? launch.url : launch.words
}

function textsOf(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.filter((item) => typeof item === 'string')
}

function namedTexts(value: unknown): Texts {
  if (!isFields(value)) return {}
  return Object.fromEntries(
    Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  )
}
