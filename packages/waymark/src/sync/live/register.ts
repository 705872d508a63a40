import { TextDecoder } from 'node:util'
import { type CarriedMessage, keyOfCarried, toCarried } from './carried-message.ts'
import {
  CLONE,
  type Fields,
  HIGHEST_FENCE,
  isCount,
  isName,
  LATEST_TIME,
  matches,
  parseFields,
  TASK,
} from './values.ts'
import { type EntityId, toEntityId } from '../../entity/entity-id.ts'

/**
 * What is live between clones, as `refs/waymark/live` has it: one small tree that is replaced as a whole, by
 * compare-and-swap. Anyone with push access can write to it, so every value is bounded and checked before use.
 */
export interface Register {
  /** The last fence that was given out; the next grant gets a higher one. */
  readonly fence: number
  /** By task. */
  readonly leases: ReadonlyMap<string, SharedLease>
  /** Tasks that were closed, oldest first: clones that have not synced since must not begin them. */
  readonly closed: ReadonlyMap<string, Closing>
  /** Clones that claim through this register, by their name. */
  readonly clones: ReadonlyMap<string, PresentClone>
  /** Messages to people and their answers, oldest first. */
  readonly messages: ReadonlyMap<string, CarriedMessage>
}

export interface SharedLease {
  readonly task: EntityId
  /** The name of the agent. */
  readonly agent: string
  /** Whose clone it is; empty if it is that person. */
  readonly person: string
  readonly clone: string
  /** By which the clone that made the grant knows the lease as its own. It proves nothing to others. */
  readonly nonce: string
  readonly fence: number
  /** Milliseconds since 1970, by the clock of that clone. */
  readonly granted: number
  readonly expires: number
}

interface Closing {
  readonly task: EntityId
  readonly clone: string
  readonly by: string
  readonly fence: number
}

interface PresentClone {
  readonly clone: string
  readonly person: string
  /** When it last wrote here, by its own clock. */
  readonly seen: number
}

export const EMPTY_REGISTER: Register = {
  fence: 0,
  leases: new Map(),
  closed: new Map(),
  clones: new Map(),
  messages: new Map(),
}

/** Clocks may be ten minutes wrong, in either direction, without effect on any decision. */
const CLOCK_SKEW_MS = 2 * 10 * 60 * 1000

const VERSION = 1
const MOST = { leases: 500, closed: 1_000, clones: 100, messages: 100 } as const
/** Bytes of one file of the tree, for readers. */
export const LARGEST_FILE = 192 * 1024
/** Bytes that are written: of all files together, of the leases and of the messages. */
const LARGEST = { all: 255 * 1024, leases: 150 * 1024, messages: 48 * 1024 } as const

const NONCE = /^[0-9a-f]{32}$/

/** Until when the lease keeps other clones from the task, by any of their clocks. */
export function heldUntil({ expires }: Pick<SharedLease, 'expires'>): number {
  return expires + CLOCK_SKEW_MS
}

/** The names of the files in the tree. */
export const REGISTER_FILES = ['register', 'leases', 'closed', 'clones', 'messages'] as const
export type RegisterFiles = Readonly<Record<(typeof REGISTER_FILES)[number], Buffer>>

/** Why a register cannot be used. */
export class BadRegister extends Error {}

/** Throws BadRegister if it is none, or one of a newer version. Single lines that are wrong are left out. */
export function parseRegister(files: RegisterFiles): Register {
  const head = parseFields(decode(files.register))
  if (head === undefined) throw new BadRegister('its file `register` is no JSON object')
  const { version, fence } = head
  if (typeof version === 'number' && version > VERSION) {
    throw new BadRegister('it was written by a newer version of Waymark; install that')
  }
  if (version !== VERSION || !isCount(fence, HIGHEST_FENCE)) {
    throw new BadRegister('its file `register` has no valid version and fence')
  }
  return {
    fence,
    leases: parseLines(files.leases, MOST.leases, toLease, ({ task }) => task),
    closed: parseLines(files.closed, MOST.closed, toClosing, ({ task }) => task),
    clones: parseLines(files.clones, MOST.clones, toClone, ({ clone }) => clone),
    messages: parseLines(files.messages, MOST.messages, toCarried, keyOfCarried),
  }
}

/** Within the limits of a reader: of closed tasks, clones and messages the oldest are dropped. */
export function toFiles({ fence, leases, closed, clones, messages }: Register): RegisterFiles {
  const recent = [...clones.values()].toSorted((a, b) => a.seen - b.seen).slice(-MOST.clones)
  const files = {
    register: Buffer.from(`${JSON.stringify({ version: VERSION, fence })}\n`),
    leases: toLines([...leases.values()]),
    clones: toLines(recent),
    messages: newestThatFit([...messages.values()].slice(-MOST.messages), LARGEST.messages),
  }
  const used = Object.values(files).reduce((sum, { length }) => sum + length, 0)
  const room = Math.min(LARGEST_FILE, Math.max(0, LARGEST.all - used))
  return { ...files, closed: newestThatFit([...closed.values()].slice(-MOST.closed), room) }
}

/** Whether another lease can be added. */
export function hasRoom({ leases }: Register): boolean {
  return leases.size < MOST.leases && toLines([...leases.values()]).length < LARGEST.leases
}

function newestThatFit(values: readonly object[], bytes: number): Buffer {
  let kept = values
  let lines = toLines(kept)
  while (lines.length > bytes) {
    kept = kept.slice(Math.ceil(kept.length / 8))
    lines = toLines(kept)
  }
  return lines
}

function toLines(values: readonly object[]): Buffer {
  return Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''))
}

function parseLines<T>(
  file: Buffer,
  most: number,
  toValue: (fields: Fields) => T | undefined,
  keyOf: (value: T) => string,
): ReadonlyMap<string, T> {
  const lines = decode(file).split('\n').slice(0, most)
  const values = lines.flatMap((line) => {
    const fields = line === '' ? undefined : parseFields(line)
    const value = fields && toValue(fields)
    return value === undefined ? [] : [[keyOf(value), value] as const]
  })
  return new Map(values)
}

function toLease(fields: Fields): SharedLease | undefined {
  const { task, agent, person, clone, nonce, fence, granted, expires } = fields
  const isValid =
    matches(task, TASK) &&
    matches(clone, CLONE) &&
    matches(nonce, NONCE) &&
    isName(agent) &&
    agent !== '' &&
    isName(person) &&
    isCount(fence, HIGHEST_FENCE) &&
    isCount(granted, LATEST_TIME) &&
    isCount(expires, LATEST_TIME)
  return isValid
    ? { task: toEntityId(task), agent, person, clone, nonce, fence, granted, expires }
    : undefined
}

function toClosing({ task, clone, by, fence }: Fields): Closing | undefined {
  const isValid =
    matches(task, TASK) && matches(clone, CLONE) && isName(by) && isCount(fence, HIGHEST_FENCE)
  return isValid ? { task: toEntityId(task), clone, by, fence } : undefined
}

function toClone({ clone, person, seen }: Fields): PresentClone | undefined {
  const isValid = matches(clone, CLONE) && isName(person) && isCount(seen, LATEST_TIME)
  return isValid ? { clone, person, seen } : undefined
}

function decode(file: Buffer): string {
  return new TextDecoder().decode(file)
}
