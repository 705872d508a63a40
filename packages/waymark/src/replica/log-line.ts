import { createHash } from 'node:crypto'
import type { JsonUpdate } from './loro.ts'

/** One line of the log: what happened to one entity, or that it was purged. */
export type LogLine = {
  readonly entityId: string
  /** Identifies the line; the same content always has the same. */
  readonly hash: string
  readonly text: string
} & ({ readonly update: JsonUpdate } | { readonly isPurged: true })

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const SEALED = /^(\{.*),"h":"([0-9a-f]{32})"\}$/s

/** No line is longer; what is, was not written by Waymark. */
export const LONGEST_LINE = 16 * 1024 * 1024

export function toUpdateLine(entityId: string, update: JsonUpdate): string {
  return seal(JSON.stringify({ e: entityId, u: update }))
}

export function toPurgeLine(entityId: string): string {
  return seal(JSON.stringify({ e: entityId, purged: true }))
}

/** Undefined for what is cut off, altered or foreign. */
export function parseLine(text: string): LogLine | undefined {
  const [, body = '', hash = ''] = SEALED.exec(text) ?? []
  if (hash === '' || hashOf(`${body}}`) !== hash) return undefined
  const value = parseObject(`${body}}`)
  const entityId = value['e']
  if (typeof entityId !== 'string' || !ID.test(entityId)) return undefined
  if (value['purged'] === true) return { entityId, hash, text, isPurged: true }
  return isUpdate(value['u']) ? { entityId, hash, text, update: value['u'] } : undefined
}

function seal(body: string): string {
  return `${body.slice(0, -1)},"h":"${hashOf(body)}"}`
}

function hashOf(body: string): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 32)
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return { ...(JSON.parse(text) as object) }
  } catch {
    return {}
  }
}

const PEER = /^\d{1,20}$/
const OP_ID = /^\d{1,10}@\d{1,20}$/
const CONTAINER = /^cid:root-[a-z]+(:[a-z_0-9]{1,100})?:(Map|Text)$/
const CONTENT_TYPES: ReadonlySet<unknown> = new Set(['insert', 'delete'])
const LARGEST_COUNT = 2 ** 30

/** Looks at everything that the library trusts: what comes from a repository may have been written by anyone. */
function isUpdate(value: unknown): value is JsonUpdate {
  if (!isObject(value)) return false
  const { schema_version: version, start_version: start, peers, changes } = value
  if (version !== 1 || !isObject(start) || !isListOf(peers, isPeer)) return false
  return isListOf(changes, (change) => isChange(change, peers.length))
}

function isChange(value: unknown, peers: number): boolean {
  if (!isObject(value)) return false
  const { id, deps, lamport, timestamp, msg, ops } = value
  const isId = (id: unknown): boolean => isOpId(id, peers)
  return (
    isId(id) &&
    isListOf(deps, isId) &&
    isCount(lamport) &&
    Number.isSafeInteger(timestamp) &&
    (msg === null || typeof msg === 'string') &&
    isListOf(ops, (op) => isOp(op, peers))
  )
}

function isOp(value: unknown, peers: number): boolean {
  if (!isObject(value)) return false
  const { container, counter, content } = value
  if (typeof container !== 'string' || !CONTAINER.test(container)) return false
  if (!isCount(counter) || !isObject(content)) return false
  if (!CONTENT_TYPES.has(content['type'])) return false
  if (container.endsWith(':Map')) return typeof content['key'] === 'string'
  if (!isCount(content['pos'])) return false
  return content['type'] === 'insert'
    ? typeof content['text'] === 'string' && content['text'] !== ''
    : Number.isSafeInteger(content['len']) && isOpId(content['start_id'], peers)
}

/** Authors are named by their place in the list of peers. */
function isOpId(value: unknown, peers: number): boolean {
  if (typeof value !== 'string' || !OP_ID.test(value)) return false
  const [counter = '', peer = ''] = value.split('@')
  return isCount(Number(counter)) && Number(peer) < peers
}

function isPeer(value: unknown): boolean {
  return typeof value === 'string' && PEER.test(value) && BigInt(value) < 2n ** 64n - 1n
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < LARGEST_COUNT
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isListOf(value: unknown, isMember: (member: unknown) => boolean): value is unknown[] {
  return Array.isArray(value) && value.every(isMember)
}
