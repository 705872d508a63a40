import { locateProject } from '../../core/project/locate-project.ts'
import { openEngine } from '../../core/store/open-engine.ts'
import { giveToOwner } from '../../git/ownership.ts'
import { refuseEdit } from '../../hook/host/before-edit.ts'
import { type HookCall, parseCall } from '../../hook/host/call.ts'
import type { Reply } from '../../hook/host/forms.ts'
import { type HookSource, joinedSource, ownSource } from '../../hook/host/hook-source.ts'
import { createHookStore } from '../../hook/host/hook-store.ts'
import { findHookHost, type HookEvent, HOOK_HOSTS, isHookEvent } from '../../hook/host/hosts.ts'
import { type FoundAgent, findHookAgent, type HookPlace } from '../../hook/host/session-agent.ts'
import type { StoreEvent } from '../../hook/host/short-reply.ts'
import { realPathNow } from '../../support/files/link-walker.ts'
import { openNamedPlaces } from '../../support/files/named-places.ts'
import { locate } from '../../task/lock/find-locks.ts'
import { findCall } from '../join/team-call.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { type Asking, placeOf } from './hook-place.ts'
import { chunksOf, readInput } from './read-input.ts'

type World = Pick<Terminal, 'cwd' | 'env' | 'out' | 'err' | 'readBytes'>

/** Runs `waymark hook <event> --host <name>`, from the words behind `hook`; returns what to print. */
export async function hookProcess([event, , host]: readonly string[]): Promise<string> {
  let answer = ''
  if (!isHookEvent(event)) return answer
  await runHook(event, host, {
    // Not there if the folder was removed.
    get cwd() {
      return process.cwd()
    },
    env: process.env,
    out: (text) => void (answer += text),
    err: (text) => void process.stderr.write(text),
    readBytes: () => chunksOf(process.stdin),
  })
  return answer
}

/**
 * Answers a hook of a host. It never fails and never blocks the host: outside a project, in one that is not trusted, on
 * input that makes no sense and on any error it prints nothing.
 */
export async function runHook(
  event: HookEvent,
  hostName: string | undefined,
  world: World,
): Promise<void> {
  const host = findHookHost(hostName)
  if (hostName === undefined || host === undefined) {
    const known = Object.keys(HOOK_HOSTS).join(', ')
    world.err(`waymark hook ${event}: --host must be one of ${known}\n`)
    return
  }
  if (host.borrowers?.some((variable) => world.env[variable] !== undefined) === true) return
  try {
    const call = parseCall(await readInput(world.readBytes()), event, host, world)
    const reply = await answer(call, { host, hostName, env: world.env })
    const name = host.events[event]?.[0] ?? event
    if (reply !== undefined)
      world.out(`${host.form(reply, { name, isAttended: call.isAttended })}\n`)
  } catch (error) {
    if (world.env['WAYMARK_LOG_LEVEL'] === 'debug')
      world.err(`waymark hook ${event}: ${String(error)}\n`)
  }
}

async function answer(call: HookCall, asking: Asking): Promise<Reply | undefined> {
  const text = await textOf(call, asking)
  return text === undefined ? undefined : { kind: KINDS[call.event], text }
}

const KINDS: Readonly<Record<HookEvent, Reply['kind']>> = {
  'session-start': 'context',
  'before-edit': 'reserved',
  'after-edit': 'context',
  prompt: 'context',
  stop: 'block',
  'session-end': 'context',
  'before-compaction': 'context',
}

async function textOf(given: HookCall, asking: Asking): Promise<string | undefined> {
  const { event, folder, paths } = given
  if (event === 'session-start' || event === 'before-compaction') {
    // Loads most of the program, which the other hooks do without.
    const { briefText } = await import('./brief-text.ts')
    return await briefText(given, asking)
  }
  if (event.endsWith('-edit') && paths.length === 0) return undefined
  const project = locateProject(folder)
  if (project === undefined) return undefined
  try {
    await using engine = await openEngine(project.stateDir)
    const store = createHookStore(engine)
    const place = await placeOf(given, asking, { root: project.root, store })
    const found = await findHookAgent(store, place)
    const call = findCall(project.stateDir, asking.env)
    const source =
      call === undefined ? ownSource(store, place, found) : joinedSource(call, place, found)
    return await shortText({ ...given, event }, { place, found, source })
  } finally {
    giveToOwner(project.root, project.stateDir)
  }
}

/** A hook whose answer is not a brief. */
interface ShortCall extends HookCall {
  readonly event: StoreEvent | 'before-edit'
}

interface Surroundings {
  readonly place: HookPlace
  readonly found: FoundAgent
  readonly source: HookSource
}

async function shortText(
  { event, paths, isRepeated, resumes }: ShortCall,
  { place, found, source }: Surroundings,
): Promise<string | undefined> {
  const { root, now, facts } = place
  if (event === 'before-edit')
    return await refuseEdit(await source.reserved(), { paths, root, now })
  if (isRepeated && (event === 'prompt' || event === 'stop')) return undefined
  if (event === 'session-end') {
    // A guess must not end a session that goes on.
    const isSure = found.isCertain === true || facts.namesSession === undefined
    if (resumes || !isSure) return undefined
  }
  return await source.reply(event, event === 'after-edit' ? await locateAll(root, paths) : [])
}

async function locateAll(root: string, paths: readonly string[]): Promise<readonly string[]> {
  const places = openNamedPlaces(root, realPathNow)
  const located = await Promise.all(paths.map((path) => locate(places, path)))
  return located.flatMap((place) => place?.path ?? [])
}
