import type { Random } from '../../../packages/baton/test/support/random.ts'
import { LINE_LIMITS } from '../../../packages/waymark/src/replica/limits.ts'
import {
  type ForgedOp,
  forgedId,
  forgeLine,
  forgePurge,
  insertText,
  noteOps,
  seal,
  setValue,
} from '../../../packages/waymark/test/replica/hostile-log.ts'
import { mutate } from './mutate.ts'
import {
  BRACKETS,
  nested,
  ODD_KEYS,
  ODD_NUMBERS,
  ODD_TEXTS,
  ODD_TOKENS,
  oddValue,
} from './odd-values.ts'

/** An entity that a clone has written, with its lines in the log. */
export interface Target {
  readonly id: string
  readonly number: number
  readonly lines: readonly string[]
}

/** What the attacker sees and may aim at. */
export interface Targets {
  /** Entities that must stay as they are: nothing aimed at them is a change that a clone could have written. */
  readonly kept: readonly Target[]
  /** Entities that the attacker changes as any clone may. */
  readonly edited: readonly Target[]
  /** Entities whose purge is asked for. */
  readonly purged: readonly Target[]
}

/** Lines to be pushed. */
export interface Attack {
  readonly name: string
  readonly lines: readonly string[]
  /** Each line is whole and breaks a limit, so that it has to be reported by its hash. */
  readonly isRefused?: boolean
}

interface Forge {
  readonly random: Random
  readonly targets: Targets
  /** A new id with each call. */
  readonly newId: () => string
}

type Production = (forge: Forge) => readonly string[]

const MARK = '"PLACE"'
const SEAL_LENGTH = ',"h":"'.length + 32 + '"}'.length

/** Puts a text into a sealed line where no object could say it. */
function splice(line: string, text: string): string {
  return seal(`${bodyOf(line).replace(MARK, () => text)}`)
}

/** A line without its seal. */
function bodyOf(line: string): string {
  return `${line.slice(0, -SEAL_LENGTH)}}`
}

function note(forge: Forge, fields: object = {}, more: readonly ForgedOp[] = []): string {
  return forgeLine(forge.newId(), [...noteOps({ ...fields }), ...more], peerOf(forge))
}

function peerOf({ random }: Forge): { readonly peer: string } {
  return { peer: String(1 + random.below(2 ** 30)) }
}

/** Any honest line, as it would be of another entity. */
function parsedLine({ random, targets, newId }: Forge, isEdit: boolean): object {
  const target = random.pick(isEdit ? targets.edited : [...targets.kept, ...targets.edited])
  const line = JSON.parse(bodyOf(random.pick(target.lines))) as object
  return { ...line, e: isEdit ? target.id : newId() }
}

/** A line with one change, whose parts may be replaced. */
function change(forge: Forge, parts: object, update: object = {}): string {
  const line = JSON.parse(bodyOf(note(forge))) as {
    e: string
    u: { changes: readonly object[] }
  }
  const [only] = line.u.changes
  return seal(
    JSON.stringify({ e: line.e, u: { ...line.u, changes: [{ ...only, ...parts }], ...update } }),
  )
}

const op = (content: object, container = 'cid:root-text:content:Text', counter = 0): object => ({
  container,
  content,
  counter,
})

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

function flipped(text: string, random: Random): string {
  const bytes = Buffer.from(text)
  for (let n = 1 + random.below(4); n > 0; n -= 1) {
    const at = random.below(bytes.length)
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8))
  }
  // A line end would make two lines of it.
  return bytes.toString('utf8').replaceAll('\n', ' ')
}

const ENGINE_DEPTHS = [17, 40, 300, 5_000, 20_000] as const

/** Lines that break a limit, or are no update. */
const REFUSED: Readonly<Record<string, Production>> = {
  deep_value: (forge) => [
    splice(
      note(forge, {}, [setValue('properties', 'x', 'PLACE')]),
      nested(forge.random.pick(ENGINE_DEPTHS), forge.random.pick(BRACKETS)).replaceAll(':}', ':0}'),
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
const GIANT: Readonly<Record<string, Production>> = {
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

/** Lines that a clone takes in, in part or wholly, or that are refused only by the document engine. */
const OTHERS: Readonly<Record<string, Production>> = {
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
  long_content: (forge) => {
    const text = `${forge.random.pick(['a', 'word ', 'line\n', '漢'])}`
    const part = text.repeat(Math.floor(LINE_LIMITS.text / text.length))
    const at = (n: number): number => n * Array.from(part).length
    const parts = Array.from({ length: 7 }, (_, n) => insertText('content', part, at(n)))
    return [note(forge, {}, parts)]
  },
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

/** Lines about entities that must stay as they are. */
const AIMED: Readonly<Record<string, Production>> = {
  others_operations: (forge) => {
    const line = JSON.parse(bodyOf(keptLine(forge))) as {
      u: { changes: { ops: { content: { value?: unknown; text?: string } }[] }[] }
    }
    for (const { ops } of line.u.changes) {
      for (const { content } of ops) {
        if (typeof content.value === 'string') content.value = 'stolen'
        if (content.text !== undefined) content.text = content.text.replaceAll(/./g, 'x')
      }
    }
    return [seal(JSON.stringify(line))]
  },
  same_again: (forge) => [keptLine(forge)],
  nonsense_beside: (forge) => {
    const { id } = forge.random.pick(forge.targets.kept)
    return [forgeLine(id, [insertText('content', 'x', 10_000_000)], peerOf(forge))]
  },
  never_ready: (forge) => {
    const { id } = forge.random.pick(forge.targets.kept)
    const deps = [{ peer: String(forge.random.below(2 ** 30)), counter: forge.random.below(1000) }]
    return [forgeLine(id, [setValue('fields', 'title', 'stolen')], { ...peerOf(forge), deps })]
  },
  wrong_container: (forge) => {
    const { id } = forge.random.pick(forge.targets.kept)
    const map = forge.random.pick(['fields', 'properties', 'list:tags', 'relations', 'status'])
    const text = {
      container: `cid:root-${map}:Text`,
      content: { type: 'insert', pos: 0, text: 'x' },
    }
    const inMap = setValue('text:content', 'a', 'stolen')
    return [text, inMap].map((each) => forgeLine(id, [each], peerOf(forge)))
  },
  deep_beside: (forge) => {
    const { id } = forge.random.pick(forge.targets.kept)
    const line = forgeLine(id, [setValue('fields', 'title', 'PLACE')], peerOf(forge))
    return [splice(line, nested(forge.random.pick(ENGINE_DEPTHS), ['[', ']']))]
  },
}

/** Lines that are cut off, altered, or run together. */
const DAMAGED: Readonly<Record<string, Production>> = {
  flipped: (forge) => [flipped(keptLine(forge), forge.random)],
  flipped_and_sealed: (forge) => {
    const body = flipped(JSON.stringify(parsedLine(forge, false)), forge.random)
    return [seal(body)]
  },
  cut_off: (forge) => {
    const line = keptLine(forge)
    const at = forge.random.below(line.length)
    return [line.slice(0, at), line.slice(at)]
  },
  run_together: (forge) => [note(forge) + note(forge) + note(forge).slice(0, 60) + note(forge)],
  many_beginnings: (forge) => [`{"e":"`.repeat(20_000) + bodyOf(note(forge))],
  many_ends: (forge) => [
    `{"e":"${`,"h":"${'0'.repeat(32)}"}`.repeat(2_000)}`,
    note(forge).repeat(100),
  ],
  line_ends: (forge) => [`${note(forge)}\r`, `\uFEFF${note(forge)}`, `  ${note(forge)}  `],
  no_text: ({ random }) => [
    Buffer.from(Array.from({ length: 200 }, () => random.below(256)))
      .toString('latin1')
      .replaceAll('\n', ''),
    '\0'.repeat(1_000),
    random.pick(ODD_TEXTS),
  ],
}

const keptLine = ({ random, targets }: Forge): string =>
  random.pick(random.pick(targets.kept).lines)

function oddTime({ random }: Forge): unknown {
  return random.pick([...ODD_NUMBERS, null, 'now'])
}

const GROUPS = [REFUSED, GIANT, OTHERS, AIMED, DAMAGED]

/** How often mutations of honest lines are made beside the rest. */
const MUTATIONS = ['mutated', 'mutated_edit', 'mutated_operations']

/** At least so many lines, each production in turn and mutations of honest lines between them. */
export function* forgeAttacks(
  count: number,
  options: { readonly random: Random; readonly targets: Targets; readonly firstId: number },
): Generator<Attack> {
  let id = options.firstId
  const forge: Forge = { ...options, newId: () => forgedId((id += 1)) }
  const all = GROUPS.flatMap((group) => Object.entries(group))
  const once = new Set(Object.keys(GIANT))
  for (let made = 0, turn = 0; made < count; turn += 1) {
    const [name = '', produce] = all[turn % all.length] ?? []
    if (turn >= all.length && once.has(name)) continue
    const attack = {
      name,
      lines: produce?.(forge) ?? [],
      isRefused: name in REFUSED || name in GIANT,
    }
    made += attack.lines.length
    yield attack
    if (turn < all.length) continue
    const mutation = forge.random.pick(MUTATIONS)
    const mutated = { name: mutation, lines: OTHERS[mutation]?.(forge) ?? [] }
    made += mutated.lines.length
    yield mutated
  }
}
