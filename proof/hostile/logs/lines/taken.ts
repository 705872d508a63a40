import { LINE_LIMITS } from '../../../../packages/waymark/src/sync/log/limits.ts'
import {
  type ForgedOp,
  forgeLine,
  forgePurge,
  insertText,
  noteOps,
  seal,
  setValue,
} from '../../../../packages/waymark/test/replica/hostile-log.ts'
import { mutate } from '../mutate.ts'
import { nested, ODD_KEYS, ODD_NUMBERS, ODD_TEXTS, oddValue } from '../odd-values.ts'
import {
  bodyOf,
  change,
  type Forge,
  note,
  op,
  parsedLine,
  peerOf,
  type Production,
  splice,
} from './forge.ts'

/** The same, of lines that are taken in. */
export const LARGE: Readonly<Record<string, Production>> = {
  large_content: (forge) => [contentOf(forge, 7)],
  larger_content: (forge) => [contentOf(forge, 30)],
  longest_line: (forge) => [contentOf(forge, WITHIN_LINE / LINE_LIMITS.text, 'a')],
  most_values: (forge) => {
    const value = 'v'.repeat(LINE_LIMITS.value - 2)
    const count = Math.floor(WITHIN_LINE / value.length)
    const ops = Array.from({ length: count }, (_, n) => setValue('properties', `p${n}`, value))
    return [note(forge, {}, ops)]
  },
}

/** Bytes of a line that leave room for its fields and seal. */
const WITHIN_LINE = LINE_LIMITS.bytes - 64 * 1024

/** A text of several insertions, each as long as one may be. */
function contentOf(
  forge: Forge,
  parts: number,
  text = forge.random.pick(['a', 'word ', 'line\n', '漢']),
): string {
  const part = text.repeat(Math.floor(LINE_LIMITS.text / text.length))
  const ops = Array.from({ length: Math.floor(parts) }, (_, n) =>
    insertText('content', part, n * part.length),
  )
  return note(forge, {}, ops)
}

/** Lines that a clone takes in, in part or wholly, or that are refused only by the document engine. */
export const OTHERS: Readonly<Record<string, Production>> = {
  mutated: (forge) => [seal(JSON.stringify(mutate(parsedLine(forge, false), forge.random)))],
  mutated_edit: (forge) => [seal(JSON.stringify(mutate(parsedLine(forge, true), forge.random)))],
  mutated_operations: (forge) => {
    const line = parsedLine(forge, false) as { u: { changes: { ops: unknown }[] } }
    for (const each of line.u.changes) each.ops = mutate(each.ops, forge.random)
    return [seal(JSON.stringify(line))]
  },
  deepest_value: (forge) => [
    splice(note(forge, {}, [setValue('properties', 'x', 'PLACE')]), nested(16, ['[', ']'])),
  ],
  long_names: (forge) => [
    note(forge, {
      title: 't'.repeat(50_000),
      created_by: 'c'.repeat(50_000),
      updated_by: 'u'.repeat(50_000),
      origin: JSON.stringify({ imported: 'o'.repeat(50_000) }),
    }),
  ],
  many_tags: (forge) => [
    note(
      forge,
      {},
      Array.from({ length: 1_500 }, (_, n) => setValue('list:tags', `tag ${n}`, n)),
    ),
  ],
  odd_numbers: (forge) => [
    note(forge, { number: forge.random.pick([...ODD_NUMBERS, '1', null, true]) }),
  ],
  claimed_numbers: (forge) => {
    const { number } = forge.random.pick(forge.targets.kept)
    const claimed = forge.random.pick([number, number + 1, 2 ** 31 - 1])
    return [note(forge, { number: claimed, created_at: -1, title: 'usurper' })]
  },
  odd_times: (forge) => {
    const [created, updated] = [oddTime(forge), oddTime(forge)]
    return [note(forge, { created_at: created, updated_at: updated, deleted_at: oddTime(forge) })]
  },
  odd_stamp: (forge) => [change(forge, { timestamp: forge.random.pick(ODD_NUMBERS) })],
  odd_texts: (forge) => {
    const pick = (): string => forge.random.pick(ODD_TEXTS)
    const ops = [setValue('list:tags', pick(), 0), setValue('properties', pick(), pick())]
    const text = `t${pick()}`
    return [
      note(forge, { title: `t${pick()}`, created_by: pick() }, [
        ...ops,
        insertText('content', text),
      ]),
    ]
  },
  odd_properties: (forge) => {
    const type = forge.random.pick(['task', 'decision', 'note', 'component', 'prompt'])
    const names = ['status', 'priority', 'due', 'context', 'parent', 'locks', ...ODD_KEYS]
    const ops = Array.from({ length: 6 }, () => {
      const map = forge.random.pick([
        'properties',
        'list:locks',
        'list:criteria',
        'status',
        'fields',
      ])
      return setValue(map, forge.random.pick(names), oddValue(forge.random))
    })
    return [note(forge, { type }, ops)]
  },
  odd_type: (forge) => [note(forge, { type: forge.random.pick(['artifact', '__proto__', '', 7]) })],
  far_lamport: (forge) => {
    const lamport = forge.random.pick([2 ** 29, 2 ** 30 - 2, 2 ** 30 - 1])
    const { id } = forge.random.pick(forge.targets.edited)
    const line = JSON.parse(bodyOf(change(forge, { lamport }))) as object
    return [seal(JSON.stringify({ ...line, e: id }))]
  },
  far_counter: (forge) => {
    const counter = forge.random.pick([1, 2 ** 29, 2 ** 30 - 1])
    const ops = [op({ type: 'insert', pos: 0, text: 'x' }, undefined, counter)]
    return [change(forge, { id: `${counter}@0`, ops }), change(forge, { ops })]
  },
  odd_deletions: (forge) => {
    const len = forge.random.pick([0, -1, 1, 7, ...ODD_NUMBERS.filter(Number.isSafeInteger)])
    const start = forge.random.pick(['0@0', '1@0', '1073741823@0'])
    const insert = op({ type: 'insert', pos: 0, text: 'some text' })
    const remove = op({ type: 'delete', pos: 0, len, start_id: start }, undefined, 9)
    return [change(forge, { ops: [insert, remove] })]
  },
  odd_positions: (forge) => {
    const pos = forge.random.pick([1, 100, 2 ** 29, 2 ** 30 - 1])
    return [
      change(forge, { ops: [op({ type: 'insert', pos, text: forge.random.pick(ODD_TEXTS) })] }),
    ]
  },
  odd_peers: (forge) => {
    const peers = forge.random.pick([
      ['7', '7'],
      ['0'],
      ['007'],
      [String(2n ** 64n - 2n)],
      [String(2n ** 64n - 1n)],
      [],
    ])
    return [change(forge, {}, { peers })]
  },
  odd_start: (forge) => [
    change(forge, {}, { start_version: { [forge.random.pick(ODD_KEYS)]: 2 ** 30 - 1 } }),
  ],
  cyclic_deps: (forge) => {
    const deps = forge.random.pick([['0@0'], ['5@0'], ['0@0', '0@0', '0@0']])
    return [change(forge, { deps })]
  },
  relations: (forge) => {
    const [a, b] = [forge.newId(), forge.newId()]
    const { id: honest } = forge.random.pick(forge.targets.kept)
    const type = forge.random.pick(['blocks', 'subtask_of', 'supersedes', 'made_up', '__proto__'])
    const to = (target: string, value: unknown = { created_at: 0 }): ForgedOp =>
      setValue('relations', `${type} ${target}`, value)
    return [
      forgeLine(a, [...noteOps({ type: 'task' }), to(b), to(honest), to(a)], peerOf(forge)),
      forgeLine(b, [...noteOps({ type: 'task' }), to(a), to(honest, oddValue(forge.random))]),
    ]
  },
  doubled: (forge) => {
    const line = note(forge)
    return Array.from({ length: 5 }, () => line)
  },
  doubled_id: (forge) => {
    const id = forge.newId()
    return ['note', 'task', 'decision'].map((type, at) =>
      forgeLine(id, noteOps({ type, title: `as ${type}` }), { peer: String(50 + at) }),
    )
  },
  doubled_fields: (forge) => {
    const body = bodyOf(note(forge))
    const { id } = forge.random.pick(forge.targets.kept)
    return [
      seal(`${body.slice(0, -1)},"e":"${forge.newId()}","purged":0}`),
      seal(`{"e":"${id}",${body.slice(1, -1)}}`),
    ]
  },
  purges: (forge) => {
    const { id } = forge.random.pick(forge.targets.purged)
    return [forgePurge(id), forgePurge(forge.newId()), seal(`{"e":"${forge.newId()}","purged":1}`)]
  },
}

function oddTime({ random }: Forge): unknown {
  return random.pick([...ODD_NUMBERS, null, 'now'])
}
