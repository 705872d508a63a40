import { resolve } from 'node:path'
import { editedPaths } from './edited-paths.ts'
import type { HookEvent, HookHost } from './hosts.ts'

/** A hook that a host runs, read from its input. */
export interface HookCall {
  readonly event: HookEvent
  /** The host's id of the session. */
  readonly session: string | undefined
  readonly folder: string
  /** The files that a tool is about to change, or has changed; absolute. */
  readonly paths: readonly string[]
  /** The agent goes on, because an earlier stop was refused or within a turn: it is not told again. */
  readonly isRepeated: boolean
  /** The session goes on: after a compaction, or with an empty context. */
  readonly resumes: boolean
  /** Whether a person can be asked. */
  readonly isAttended: boolean
}

/** Where the host runs us. */
interface Surroundings {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

const LONGEST_ID = 200
/** As much as a system call takes. */
const LONGEST_FOLDER = 4096

/** Modes of hosts in which no question is put to a person. */
const UNATTENDED: ReadonlySet<unknown> = new Set(['bypassPermissions', 'dontAsk', 'auto', 'yolo'])

/** Takes any input: what is missing, or not of the expected form, is as if it was not there. */
export function parseCall(
  input: unknown,
  event: HookEvent,
  { fields, editors, sessionVariable }: HookHost,
  { cwd, env }: Surroundings,
): HookCall {
  const text = (paths: readonly string[]) => paths.map((path) => at(input, path)).find(isText)
  const session = text(fields.session) ?? env[sessionVariable ?? '']
  const named = text(fields.folder) ?? '.'
  const folder = resolve(cwd, named.length <= LONGEST_FOLDER ? named : '.')
  const tool = text(fields.tool)
  const isEdit = tool === undefined || editors.split('|').includes(tool)
  const args = fields.args.map((path) => at(input, path)).find((value) => value !== undefined)
  return {
    event,
    session: isText(session) && session.length <= LONGEST_ID ? session : undefined,
    folder,
    paths: isEdit ? editedPaths(args).map((path) => resolve(folder, path)) : [],
    isRepeated:
      at(input, 'stop_hook_active') === true ||
      Number(at(input, 'loop_count')) > 0 ||
      // Qwen Code tells of each request of a turn, as of an empty prompt.
      at(input, 'prompt') === '',
    resumes:
      ['compact', 'clear'].includes(String(at(input, 'source'))) ||
      ['clear', 'resume'].includes(String(at(input, 'reason'))),
    isAttended: !UNATTENDED.has(at(input, 'permission_mode')),
  }
}

/** `a.b.0` in an object; the object itself for the empty path. */
function at(value: unknown, path: string): unknown {
  if (path === '') return value
  return path.split('.').reduce<unknown>((inner, key) => {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, key)) return undefined
    return (inner as Readonly<Record<string, unknown>>)[key]
  }, value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}
