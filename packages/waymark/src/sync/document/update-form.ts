import { LINE_LIMITS, type Reason } from '../log/limits.ts'

const PEER = /^\d{1,20}$/
const OP_ID = /^\d{1,10}@\d{1,20}$/
/** Of each name there is one kind: of two containers with one name the engine shows only one. */
const CONTAINER =
  /^cid:root-(?:text:[a-z_0-9]{1,100}:Text|(?!text:)[a-z]+(?::[a-z_0-9]{1,100})?:Map)$/
const LARGEST_PEER = 2n ** 64n - 2n
const LARGEST_COUNT = 2 ** 30

/**
 * Why an update must not be passed to the document engine. Validates everything that the engine trusts, because log
 * lines are untrusted.
 */
export function findFault(update: unknown): Reason | undefined {
  if (!isObject(update)) return 'bad_form'
  const { schema_version: version, start_version: start, peers, changes } = update
  if (version !== 1 || !isObject(start)) return 'bad_form'
  if (!Array.isArray(peers) || !Array.isArray(changes)) return 'bad_form'
  const { peers: mostPeers, changes: mostChanges } = LINE_LIMITS
  if (peers.length > mostPeers || changes.length > mostChanges) return 'too_many'
  if (Object.keys(start).length > mostPeers) return 'too_many'
  if (!Object.values(start).every(isCount) || !peers.every(isPeer)) return 'bad_form'
  let ops = 0
  for (const change of changes) {
    const fault = findChangeFault(change, peers.length)
    if (fault !== undefined) return fault
    ops += (change as { ops: readonly unknown[] }).ops.length
    if (ops > LINE_LIMITS.ops) return 'too_many'
  }
  return undefined
}

function findChangeFault(change: unknown, peers: number): Reason | undefined {
  if (!isObject(change)) return 'bad_form'
  const { id, deps, lamport, timestamp, msg, ops } = change
  if (!isOpId(id, peers) || !Array.isArray(deps) || !Array.isArray(ops)) return 'bad_form'
  if (deps.length > LINE_LIMITS.deps || ops.length > LINE_LIMITS.ops) return 'too_many'
  if (!deps.every((dep) => isOpId(dep, peers))) return 'bad_form'
  if (!isCount(lamport) || !Number.isSafeInteger(timestamp)) return 'bad_form'
  if (msg !== null && typeof msg !== 'string') return 'bad_form'
  if (msg !== null && msg.length > LINE_LIMITS.author) return 'too_large'
  for (const op of ops) {
    const fault = findOpFault(op, peers)
    if (fault !== undefined) return fault
  }
  return undefined
}

function findOpFault(op: unknown, peers: number): Reason | undefined {
  if (!isObject(op)) return 'bad_form'
  const { container, counter, content } = op
  if (typeof container !== 'string' || !CONTAINER.test(container)) return 'bad_form'
  if (!isCount(counter) || !isObject(content)) return 'bad_form'
  return container.endsWith(':Map') ? findMapFault(content) : findTextFault(content, peers)
}

type Content = Readonly<Record<string, unknown>>

function findMapFault({ type, key, value }: Content): Reason | undefined {
  if (typeof key !== 'string') return 'bad_form'
  if (key.length > LINE_LIMITS.key) return 'too_large'
  if (type === 'delete') return undefined
  if (type !== 'insert') return 'bad_form'
  if (typeof value === 'string') return value.length > LINE_LIMITS.value ? 'too_large' : undefined
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'number' && !Number.isFinite(value) ? 'bad_form' : undefined
  }
  if (JSON.stringify(value).length > LINE_LIMITS.value) return 'too_large'
  return hasOnlyFinite(value) ? undefined : 'bad_form'
}

/** The nesting was counted before. */
function hasOnlyFinite(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.values(value).every(hasOnlyFinite)
}

function findTextFault(content: Content, peers: number): Reason | undefined {
  const { type, pos, text, len, start_id: start } = content
  if (!isCount(pos)) return 'bad_form'
  if (type === 'delete') {
    return Number.isSafeInteger(len) && isOpId(start, peers) ? undefined : 'bad_form'
  }
  if (type !== 'insert' || typeof text !== 'string' || text === '') return 'bad_form'
  return text.length > LINE_LIMITS.text ? 'too_large' : undefined
}

/** Authors are named by their place in the list of peers. */
function isOpId(value: unknown, peers: number): boolean {
  if (typeof value !== 'string' || !OP_ID.test(value)) return false
  const [counter = '', peer = ''] = value.split('@')
  return isCount(Number(counter)) && Number(peer) < peers
}

function isPeer(value: unknown): boolean {
  return typeof value === 'string' && PEER.test(value) && BigInt(value) <= LARGEST_PEER
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < LARGEST_COUNT
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
