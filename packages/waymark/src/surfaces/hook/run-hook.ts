import { MACHINE_CLOCK } from '../../core/clock/machine-clock.ts'
import { locateProject } from '../../core/project/locate-project.ts'
import { openEngine } from '../../core/store/open-engine.ts'
import { giveToOwner } from '../../git/ownership.ts'
import { refuseEdit } from '../../hook/host/before-edit.ts'
import { type HookCall, parseCall } from '../../hook/host/call.ts'
import type { Reply } from '../../hook/host/forms.ts'
import { createHookStore, type HookStore } from '../../hook/host/hook-store.ts'
import { findHookHost, type HookEvent, HOOK_HOSTS, isHookEvent } from '../../hook/host/hosts.ts'
import { describeHeld, describeUnread } from '../../hook/host/news.ts'
import { findHookAgent, type HookPlace } from '../../hook/host/session-agent.ts'
import { leave, mayRemind, noteEdit } from '../../hook/host/sign-of-life.ts'
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

async function textOf(call: HookCall, asking: Asking): Promise<string | undefined> {
  const { event, folder, paths } = call
  if (event === 'session-start' || event === 'before-compaction') {
    // Loads most of the program, which the other hooks do without.
    const { briefText } = await import('./brief-text.ts')
    return await briefText(call, asking)
  }
  if (event.endsWith('-edit') && paths.length === 0) return undefined
  const project = locateProject(folder)
  if (project === undefined) return undefined
  try {
    await using engine = await openEngine(project.stateDir)
    const store = createHookStore(engine)
    const place = await placeOf(call, asking, { root: project.root, store })
    return await shortText({ ...call, event }, place, store)
  } finally {
    giveToOwner(project.root, project.stateDir)
  }
}

/** A hook whose answer is not a brief. */
interface ShortCall extends HookCall {
  readonly event: Exclude<HookEvent, 'session-start' | 'before-compaction'>
}

async function shortText(
  call: ShortCall,
  place: HookPlace,
  store: HookStore,
): Promise<string | undefined> {
  const { agent, own, isCertain } = await findHookAgent(store, place)
  const { now, root } = place
  switch (call.event) {
    case 'before-edit':
      return await refuseEdit(store, { paths: call.paths, own, root, now })
    case 'after-edit':
      if (agent !== undefined)
        await noteEdit(store, MACHINE_CLOCK, agent, { paths: call.paths, root })
      return undefined
    case 'prompt':
      return agent && !call.isRepeated ? await describeUnread(store, agent) : undefined
    case 'stop': {
      const held = agent && !call.isRepeated ? await describeHeld(store, agent, now) : undefined
      if (held === undefined || agent === undefined) return undefined
      // Where it cannot be recorded, a second reminder is better than none.
      const isDue = await mayRemind(store, MACHINE_CLOCK, agent).catch(() => true)
      return isDue ? held : undefined
    }
    case 'session-end':
      // A guess must not end a session that goes on.
      if (
        agent !== undefined &&
        !call.resumes &&
        (isCertain || place.facts.namesSession === undefined)
      )
        await leave(store, MACHINE_CLOCK, agent)
      return undefined
  }
}
