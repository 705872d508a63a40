import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { toPurgeLine } from '../../src/sync/log/log-line.ts'
import { LOG_REF } from '../../src/sync/log/log-ref.ts'
import { type Segment, toSegments } from '../../src/sync/log/segment.ts'
import { git } from './clones.ts'
import { toEntityId } from '../../src/entity/entity-id.ts'

/** Any body with a valid seal: what an attacker with push access can write. */
export function seal(body: string): string {
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 32)
  return `${body.slice(0, -1)},"h":"${hash}"}`
}

export function hashOf(line: string): string {
  return line.slice(-34, -2)
}

type Value = unknown
export interface ForgedOp {
  readonly container: string
  readonly content: Readonly<Record<string, Value>>
}

export function setValue(map: string, key: string, value: Value): ForgedOp {
  return { container: `cid:root-${map}:Map`, content: { type: 'insert', key, value } }
}

export function insertText(name: string, text: string, pos = 0): ForgedOp {
  return { container: `cid:root-text:${name}:Text`, content: { type: 'insert', pos, text } }
}

export interface ForgedChange {
  readonly peer?: string
  readonly msg?: string | null
  readonly at?: number
  /** The larger one wins over what was written at the same time. */
  readonly lamport?: number
  readonly deps?: readonly { readonly peer: string; readonly counter: number }[]
}

/** A line with one change that consists of these operations. */
export function forgeLine(
  entityId: string,
  ops: readonly ForgedOp[],
  { peer = '7', msg = 'mallory', at = 0, lamport = 0, deps = [] }: ForgedChange = {},
): string {
  const peers = [...new Set([peer, ...deps.map((dep) => dep.peer)])]
  let counter = 0
  const written = ops.map((op) => {
    const before = counter
    const { text } = op.content
    counter += typeof text === 'string' ? countCodePoints(text) : 1
    return { ...op, counter: before }
  })
  const change = {
    id: '0@0',
    timestamp: at,
    deps: deps.map((dep) => `${dep.counter}@${peers.indexOf(dep.peer)}`),
    lamport,
    msg,
    ops: written,
  }
  return seal(
    JSON.stringify({
      e: entityId,
      u: { schema_version: 1, start_version: {}, peers, changes: [change] },
    }),
  )
}

/** A line with a chain of changes, each by an author of its own that knew the one before. */
export function forgeChain(entityId: string, from: number, count: number): string {
  const peers = Array.from({ length: count + 1 }, (_, n) => String(100 + from + n - 1))
  const changes = Array.from({ length: count }, (_, n) => ({
    id: `0@${n + 1}`,
    timestamp: 0,
    deps: [`0@${n}`],
    lamport: from + n,
    msg: null,
    ops: [{ ...setValue('fields', 'title', `title ${from + n}`), counter: 0 }],
  }))
  const update = { schema_version: 1, start_version: {}, peers, changes }
  return seal(JSON.stringify({ e: entityId, u: update }))
}

/** Texts of many megabytes are not made a list of their letters. */
function countCodePoints(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0)
}

/** The operations of a new note, with whatever fields are given in place of the usual ones. */
export function noteOps(fields: Readonly<Record<string, Value>> = {}): readonly ForgedOp[] {
  const all = {
    type: 'note',
    number: 1,
    title: 'a forged note',
    created_at: 0,
    created_by: 'bob',
    updated_at: 0,
    updated_by: 'bob',
    ...fields,
  }
  return Object.entries(all).map(([name, value]) => setValue('fields', name, value))
}

/** An id of the usual form with this number in it. */
export function forgedId(n: number): string {
  return `0189d3a0-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
}

export function forgePurge(entityId: string): string {
  return toPurgeLine(toEntityId(entityId))
}

/** Adds segments to the log of a bare repository in one commit, as `git push` from anywhere would. */
export function pushSegments(remote: string, segments: Iterable<Segment>): void {
  const tip = git(remote, 'for-each-ref', '--format=%(objectname)', LOG_REF).trim()
  const message = 'waymark log\n'
  const input = [
    `commit ${LOG_REF}\ncommitter mallory <mallory@example.com> ${Math.floor(Date.now() / 1_000)} +0000\n`,
    `data ${message.length}\n${message}`,
    ...(tip === '' ? [] : [`from ${tip}\n`]),
    ...Array.from(segments, ({ name, text }) => {
      const bytes = Buffer.byteLength(text)
      return `M 100644 inline ${name}\ndata ${bytes}\n${text}\n`
    }),
    'done\n',
  ].join('')
  const args = ['-C', remote, 'fast-import', '--quiet', '--done']
  execFileSync('git', args, { input, stdio: 'pipe' })
}

export function pushLines(remote: string, lines: Iterable<string>): void {
  pushSegments(remote, toSegments(lines))
}
