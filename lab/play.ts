import { spawn } from 'node:child_process'
import { appendFileSync, createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import type { LabHost, Place } from './host.ts'
import { type ModelService, startModelService } from './model/service.ts'
import { writeFixture } from './pipe/fixture.ts'
import { handshakeIn, hooksIn, parametersByTool, readRecordings } from './pipe/recording.ts'
import { createPlayer } from './player.ts'
import { judgeSteps, type Row, toLine, versionOf } from './row.ts'
import { createScratch, differing, readFiles, type Scratch, textOf, writeFiles } from './scratch.ts'
import { firstSession, FREE, RESERVED, SECOND_SESSION, type StepId } from './story.ts'

const SESSION_MILLISECONDS = 120_000
const PROMPT = 'Work on the next task of this project.'
const RESUME_PROMPT = 'Go on.'

export interface Options {
  /** Keeps the scratch folder with what was recorded. */
  readonly keep: boolean
  /** Connects by the host's own means instead of `waymark install`. */
  readonly isByHand: boolean
  /** Folder for what the host sent, as a fixture of tests. */
  readonly record: string | undefined
}

/** Plays the whole story with one host: two sessions and everything around them. */
export async function play(
  host: LabHost,
  bin: string,
  { keep, isByHand, record }: Options,
): Promise<Row> {
  using scratch = createScratch({ keep })
  const player = createPlayer({
    host,
    declared: () => parametersByTool(readRecordings(scratch.recordings)),
  })
  await using service = await startModelService((request, body) => {
    if (keep) appendFileSync(join(scratch.folder, 'model.jsonl'), `${body}\n`)
    return player.model(request, body)
  })
  const { home, repository } = scratch
  const place: Place = { home, repository, origin: service.origin }
  const env = scratch.env({
    ...host.env(place),
    PATH: bin,
    // Loopback is plain HTTP and needs no proxy; ours refuses every other address.
    HTTPS_PROXY: service.origin,
    https_proxy: service.origin,
    NO_PROXY: '127.0.0.1,localhost',
    no_proxy: '127.0.0.1,localhost',
  })
  const runHost = (args: readonly string[], log: string) =>
    run(join(bin, host.program), args, { cwd: repository, env, log: join(scratch.folder, log) })

  writeFiles(host.files?.(place) ?? {})
  for (const args of host.prepare?.(place) ?? []) await runHost(args, 'prepare.log')
  const before = readAll(scratch)
  if (isByHand) writeFiles(host.byHand?.(place) ?? {})
  else if (host.install !== undefined) {
    const options = ['--yes', '--hooks', '--instructions', ...scopeOf(host.install)]
    scratch.waymark('install', host.install.host, ...options)
  }
  const ours = differing(before, readAll(scratch))
  for (const args of host.approve ?? []) await runHost(args, 'approve.log')

  player.begin(firstSession(host, repository))
  const ends = [await runHost(host.start(PROMPT), 'first.log')]
  player.begin(SECOND_SESSION)
  ends.push(await runHost(host.resume(RESUME_PROMPT), 'second.log'))
  for (const args of host.end ?? []) await runHost(args, 'end.log')

  const recordings = readRecordings(scratch.recordings)
  if (record !== undefined) writeFixture(record, { host, recordings, scratch })
  const handshake = handshakeIn(recordings)
  return {
    id: host.id,
    title: host.title,
    version: versionOf(host),
    notes: [host.note, ...troubleOf(ends, service)].filter((note) => note !== undefined),
    connectedBy: isByHand ? 'by hand' : 'waymark install',
    ...(handshake !== undefined && { handshake }),
    ...(player.first !== undefined && { first: player.first }),
    steps: judgeSteps({ outcomes: player.outcomes, recordings, edited: editsIn(repository) }),
    hooks: [...new Set(hooksIn(recordings).map(({ event }) => event))],
    continued: player.continued,
    uninstall: isByHand ? '–' : uninstall(host, scratch, { before, ours }),
    ...(keep && { folder: scratch.folder }),
  }
}

function editsIn(repository: string): Set<StepId> {
  const isChanged = ({ relative, before }: typeof RESERVED | typeof FREE) =>
    textOf(join(repository, relative)) !== before
  return new Set([
    ...(isChanged(RESERVED) ? (['edit'] as const) : []),
    ...(isChanged(FREE) ? (['free_edit'] as const) : []),
  ])
}

function scopeOf({ scope }: NonNullable<LabHost['install']>): string[] {
  return scope === 'global' ? ['--global'] : []
}

function readAll({ home, repository }: Scratch): Map<string, string> {
  return new Map([...readFiles(home), ...readFiles(repository)])
}

/** Hosts write files of their own, so only those that the install touched are compared. */
function uninstall(
  { install }: LabHost,
  scratch: Scratch,
  { before, ours }: { before: ReadonlyMap<string, string>; ours: readonly string[] },
): string {
  if (install === undefined) return '–'
  scratch.waymark('install', install.host, '--uninstall', '--yes', ...scopeOf(install))
  const left = differing(before, readAll(scratch)).filter((path) => ours.includes(path))
  const names = left.map((path) =>
    path.replace(`${scratch.repository}/`, '').replace(scratch.home, '~'),
  )
  return names.length === 0 ? 'identical' : `left: ${names.join(', ')}`
}

interface RunOptions {
  readonly cwd: string
  readonly env: Record<string, string>
  readonly log: string
}

/** Answers how it ended, if not well. */
async function run(
  program: string,
  args: readonly string[],
  { cwd, env, log }: RunOptions,
): Promise<string | undefined> {
  const output = createWriteStream(log, { flags: 'a' })
  const child = spawn(program, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  child.stdout.pipe(output, { end: false })
  child.stderr.pipe(output, { end: false })
  const stop = () => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL')
  const timer = setTimeout(stop, SESSION_MILLISECONDS)
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  clearTimeout(timer)
  output.end()
  if (code === 0) return undefined
  return signal === null ? `exit code ${code}` : 'did not end'
}

function troubleOf(ends: readonly (string | undefined)[], service: ModelService): string[] {
  const sessions = ends.flatMap((end, index) =>
    end === undefined ? [] : [`session ${index + 1}: ${end}`],
  )
  const unknown = new Set(service.unknown.map((request) => `not understood: ${toLine(request)}`))
  const { size } = service.refused
  return [
    ...sessions,
    ...unknown,
    ...(size === 0 ? [] : [`kept from reaching ${size} addresses outside of this machine`]),
  ]
}
