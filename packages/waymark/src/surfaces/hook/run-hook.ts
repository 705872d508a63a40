import { MACHINE_CLOCK } from '../../core/clock/machine-clock.ts'
import { openProject, type OpenProject } from '../../core/project/project.ts'
import { type Config, loadConfig } from '../../core/project/config.ts'
import { refuseEdit } from '../../hook/host/before-edit.ts'
import { type HookCall, parseCall } from '../../hook/host/call.ts'
import type { Reply } from '../../hook/host/forms.ts'
import {
  findHookHost,
  type HookEvent,
  HOOK_HOSTS,
  type HookHost,
  isHookEvent,
} from '../../hook/host/hosts.ts'
import { describeHeld, describeUnread } from '../../hook/host/news.ts'
import { findHookAgent, findPredecessor, type HookPlace } from '../../hook/host/session-agent.ts'
import { leave, mayRemind, noteEdit } from '../../hook/host/sign-of-life.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { readInput } from './read-input.ts'

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
    readBytes: () => process.stdin,
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

interface Asking {
  readonly host: HookHost
  readonly hostName: string
  readonly env: Terminal['env']
}

async function answer(call: HookCall, asking: Asking): Promise<Reply | undefined> {
  if (call.event.endsWith('-edit') && call.paths.length === 0) return undefined
  await using project = await openProject(call.folder)
  const config = loadConfig(project.root, asking.env)
  const place: HookPlace = {
    host: asking.hostName,
    facts: asking.host,
    actor: config.actor,
    session: call.session,
    root: project.root,
    now: await project.store.now(MACHINE_CLOCK),
  }
  const text = await textOf(call, place, { project, config, env: asking.env })
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

interface Surroundings {
  readonly project: OpenProject
  readonly config: Config
  readonly env: Terminal['env']
}

async function textOf(
  call: HookCall,
  place: HookPlace,
  { project, config, env }: Surroundings,
): Promise<string | undefined> {
  const { store, root } = project
  const { agent, own, isCertain } = await findHookAgent(store, place)
  const { now } = place
  switch (call.event) {
    case 'session-start':
    case 'before-compaction': {
      const { briefFor } = await import('../cli/prime-command.ts')
      // When a session begins, one that is there already is another.
      const isOwn = call.event !== 'session-start' || call.resumes || isCertain === true
      const reader = (isOwn ? agent : undefined) ?? (await findPredecessor(store, place))
      return await briefFor(project, { config, env, host: place.host, agent: reader })
    }
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
