import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { LabHost } from '../host.ts'
import { versionOf } from '../row.ts'
import type { Scratch } from '../scratch.ts'
import { clientIn, isServer, messagesIn, type Recording } from './recording.ts'

/** Variables that hosts set for the programs that they start. */
const OF_HOSTS = /^(?:CLAUDE|CLINE|CODEX|COPILOT|GEMINI|KILO|OPENCODE|QWEN)/

interface Played {
  readonly host: LabHost
  readonly recordings: readonly Recording[]
  readonly scratch: Pick<Scratch, 'folder'>
}

/** Writes what a host sent to Waymark, for tests of what we know about hosts. Of paths, only those of the scratch differ. */
export function writeFixture(folder: string, { host, recordings, scratch }: Played): void {
  if (host.install === undefined) return
  const hooks = recordings.filter((recording) => !isServer(recording))
  const fixture = {
    host: host.install.host,
    version: versionOf(host),
    server: toServer(recordings.filter(isServer)),
    hookVariables: variablesOf(hooks),
    hooks: distinct(hooks.map(toHook)),
  }
  // Hosts also derive names of folders from the path, with other signs for the slashes.
  const name = basename(scratch.folder)
  const text = `${JSON.stringify(fixture, null, 2)}\n`
    .replaceAll(scratch.folder, '/scratch')
    .replaceAll(new RegExp(`[^/"]*${name}`, 'gi'), '-scratch')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${host.install.host}.json`), text)
}

function toServer(recordings: readonly Recording[]) {
  const calls = recordings
    .flatMap(({ input }) => messagesIn(input))
    .flatMap(({ method, params }) => (method === 'tools/call' ? [params] : []))
  return {
    variables: variablesOf(recordings),
    ids: recordings.map(({ ids }) => ids),
    client: clientIn(recordings),
    calls,
  }
}

function toHook({ args: [, event], input }: Recording): object {
  return { event, input: JSON.parse(input || 'null') }
}

/** Of hooks that differ in numbers and ids only, and of those around calls of our own tools, one is enough. */
function distinct(hooks: readonly object[]): object[] {
  const byForm = new Map(hooks.toReversed().map((hook) => [formOf(hook), hook]))
  return hooks.filter((hook) => byForm.get(formOf(hook)) === hook)
}

function formOf(hook: object): string {
  const text = JSON.stringify(hook)
  const [ownTool] = /"event":"[^"]*"(?=.*"tool_?name":"waymark)/i.exec(text) ?? []
  return ownTool ?? text.replaceAll(/[0-9a-f-]*\d[0-9a-f-]*/g, '0')
}

function variablesOf(recordings: readonly Recording[]): readonly string[] {
  const names = recordings.flatMap(({ variables }) => variables)
  return [...new Set(names.filter((name) => OF_HOSTS.test(name)))].toSorted()
}
