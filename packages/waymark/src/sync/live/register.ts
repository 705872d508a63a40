import { TextDecoder } from 'node:util'

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
}

export interface SharedLease {
  readonly task: string
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
  readonly task: string
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
}

/** Clocks may be ten minutes wrong, in either direction, without effect on any decision. */
const CLOCK_SKEW_MS = 2 * 10 * 60 * 1000

const VERSION = 1
const LONGEST_NAME = 60
const HIGHEST_FENCE = 2 ** 48
const LATEST_TIME = 8.64e15
const MOST = { leases: 500, closed: 1_000, clones: 100 } as const
/** Bytes of one file of the tree. */
export const LARGEST_FILE = 192 * 1024

const TASK = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const CLONE = /^[0-9a-f]{8}$/
const NONCE = /^[0-9a-f]{32}$/

/** Until when the lease keeps other clones from the task, by any of their clocks. */
export function heldUntil({ expires }: Pick<SharedLease, 'expires'>): number {
  return expires + CLOCK_SKEW_MS
}

/** The names of the files in the tree. */
export const REGISTER_FILES = ['register', 'leases', 'closed', 'clones'] as const
export type RegisterFiles = Readonly<Record<(typeof REGISTER_FILES)[number], Buffer>>

/** Why a register cannot be used. */
export class BadRegister extends Error {}

/** Throws BadRegister if it is none, or one of a newer version. Single lines that are wrong are left out. */
export function parseRegister(files: RegisterFiles): Register {
  const head = parseJson(decode(files.register))
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
  }
}

/** Within the limits of a reader: of closed tasks and clones the oldest are dropped. */
export function toFiles({ fence, leases, closed, clones }: Register): RegisterFiles {
  const recent = [...clones.values()].toSorted((a, b) => a.seen - b.seen).slice(-MOST.clones)
  return {
    register: Buffer.from(`${JSON.stringify({ version: VERSION, fence })}\n`),
    leases: toLines([...leases.values()]),
    closed: toLines(newestThatFit([...closed.values()].slice(-MOST.closed))),
    clones: toLines(recent),
  }
}

/** Whether another lease can be added. */
export function hasRoom({ leases }: Register): boolean {
  const bytes = toLines([...leases.values()]).length
  return leases.size < MOST.leases && bytes < LARGEST_FILE - 1024
}

function newestThatFit<T extends object>(values: readonly T[]): readonly T[] {
  let kept = values
  while (toLines(kept).length > LARGEST_FILE) kept = kept.slice(Math.ceil(kept.length / 8))
  return kept
}

/** A name as the register takes it; one that was made by this is not changed again. */
export function toName(text: string): string {
  const visible = text.replaceAll(/\p{C}/gu, ' ').trim()
  return Array.from(visible).slice(0, LONGEST_NAME).join('').trim()
}

function toLines(values: readonly object[]): Buffer {
  return Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''))
}

type Fields = Readonly<Record<string, unknown>>

function parseLines<T>(
  file: Buffer,
  most: number,
  toValue: (fields: Fields) => T | undefined,
  keyOf: (value: T) => string,
): ReadonlyMap<string, T> {
  const lines = decode(file).split('\n').slice(0, most)
  const values = lines.flatMap((line) => {
    const fields = line === '' ? undefined : parseJson(line)
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
  return isValid ? { task, agent, person, clone, nonce, fence, granted, expires } : undefined
}

function toClosing({ task, clone, by, fence }: Fields): Closing | undefined {
  const isValid =
    matches(task, TASK) && matches(clone, CLONE) && isName(by) && isCount(fence, HIGHEST_FENCE)
  return isValid ? { task, clone, by, fence } : undefined
}

function toClone({ clone, person, seen }: Fields): PresentClone | undefined {
  const isValid = matches(clone, CLONE) && isName(person) && isCount(seen, LATEST_TIME)
  return isValid ? { clone, person, seen } : undefined
}

function matches(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value)
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 4 * LONGEST_NAME && toName(value) === value
}

function isCount(value: unknown, most: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most
}

function decode(file: Buffer): string {
  return new TextDecoder().decode(file)
}

function parseJson(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Fields)
      : undefined
  } catch {
    return undefined
  }
}
