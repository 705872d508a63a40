import { LINE_LIMITS } from '../../../../packages/waymark/src/sync/log/limits.ts'
import {
  forgeLine,
  insertText,
  noteOps,
  seal,
  setValue,
} from '../../../../packages/waymark/test/replica/hostile-log.ts'
import { BRACKETS, nested, ODD_NUMBERS, ODD_TEXTS, ODD_TOKENS, oddValue } from '../odd-values.ts'
import { change, type Forge, ENGINE_DEPTHS, note, op, type Production, splice } from './forge.ts'

/** Lines that break a limit, or are no update. */
export const REFUSED: Readonly<Record<string, Production>> = {
  deep_value: (forge) => [
    splice(
      note(forge, {}, [setValue('properties', 'x', 'PLACE')]),
      nested(forge.random.pick(ENGINE_DEPTHS), forge.random.pick(BRACKETS)),
    ),
  ],
  deep_elsewhere: (forge) => {
    const part = forge.random.pick(['deps', 'lamport', 'msg', 'ops', 'id', 'timestamp'])
    const depth = forge.random.pick([40, 20_000])
    return [splice(change(forge, { [part]: 'PLACE' }), nested(depth, ['[', ']']))]
  },
  deep_update: (forge) => {
    const part = forge.random.pick(['peers', 'start_version', 'changes', 'schema_version'])
    return [splice(change(forge, {}, { [part]: 'PLACE' }), nested(20_000, ['[', ']']))]
  },
  long_author: (forge) => [
    forgeLine(forge.newId(), noteOps(), { msg: 'x'.repeat(LINE_LIMITS.author + 1) }),
  ],
  long_value: (forge) => [note(forge, { created_by: 'x'.repeat(LINE_LIMITS.value + 1) })],
  long_key: (forge) => [
    note(forge, {}, [setValue('properties', 'k'.repeat(LINE_LIMITS.key + 1), 1)]),
  ],
  long_text: (forge) => [
    note(forge, {}, [insertText('content', 'a'.repeat(LINE_LIMITS.text + 1))]),
  ],
  many_changes: (forge) => [chain(forge, LINE_LIMITS.changes + 1)],
  many_peers: (forge) => [
    change(forge, {}, { peers: Array.from({ length: LINE_LIMITS.peers + 1 }, String) }),
  ],
  many_deps: (forge) => [
    change(forge, { deps: Array.from({ length: LINE_LIMITS.deps + 1 }, () => '0@0') }),
  ],
  no_number: (forge) => [splice(note(forge, { number: 'PLACE' }), forge.random.pick(ODD_TOKENS))],
  no_update: (forge) => [
    seal(`{"e":"${forge.newId()}","u":${JSON.stringify(oddValue(forge.random))}}`),
  ],
  no_id: ({ random }) => {
    const id = random.pick(['', '..', 'x'.repeat(36), '0'.repeat(36), ...ODD_TEXTS])
    return [seal(JSON.stringify({ e: id, u: {} }))]
  },
  counts_out_of_range: (forge) => {
    const count = forge.random.pick(ODD_NUMBERS.filter((n) => n < 0 || n >= 2 ** 30 || n % 1 !== 0))
    return [change(forge, { lamport: count }), change(forge, { id: `${count}@0` })]
  },
  container_of_no_kind: (forge) => {
    const container = forge.random.pick([
      'cid:root-fields:Tree',
      'cid:0@1:Map',
      'cid:root-:Map',
      '',
    ])
    return [change(forge, { ops: [op({ type: 'insert', key: 'a', value: 1 }, container)] })]
  },
  proto_update: (forge) => [
    seal(`{"e":"${forge.newId()}","u":{"__proto__":{"schema_version":1}}}`),
  ],
}

/** Too large to be pushed often. */
export const GIANT: Readonly<Record<string, Production>> = {
  giant_text: (forge) => [note(forge, {}, [insertText('content', 'aaaa '.repeat(3 << 20))])],
  giant_depth: (forge) => [
    splice(note(forge, {}, [setValue('properties', 'x', 'PLACE')]), nested(1_000_000, ['[', ']'])),
  ],
  giant_operations: (forge) => {
    const value = op({ type: 'insert', key: 'a', value: 1 }, 'cid:root-fields:Map')
    return [change(forge, { ops: Array.from({ length: LINE_LIMITS.ops + 1 }, () => value) })]
  },
  giant_line: (forge) => [note(forge, { title: 'b'.repeat(LINE_LIMITS.bytes) })],
}

/** A chain of changes, each by an author of its own that knew the one before. */
function chain(forge: Forge, count: number): string {
  const peers = Array.from({ length: count }, (_, n) => String(1000 + n))
  const changes = peers.map((_, n) => ({
    id: `0@${n}`,
    timestamp: 0,
    deps: n === 0 ? [] : [`0@${n - 1}`],
    lamport: n,
    msg: null,
    ops: [op({ type: 'insert', key: 'title', value: `title ${n}` }, 'cid:root-fields:Map')],
  }))
  const update = { schema_version: 1, start_version: {}, peers, changes }
  return seal(JSON.stringify({ e: forge.newId(), u: update }))
}
