import { isDeepStrictEqual } from 'node:util'
import { parentPort } from 'node:worker_threads'
import { type Document, parseDocument } from 'yaml'
import { editDocument } from './edit-document.ts'
import type { Reply } from '../worker/worker-pool.ts'
import type { EditedYaml, ParsedYaml, YamlEdit, YamlJob } from './parse-yaml.ts'

/** Deeper nesting lets the parser run out of stack in a place where V8 ends the whole process. */
const DEEPEST = 200
const DEEPEST_FLOW = 1_000

parentPort?.on('message', (job: string) =>
  post({ answer: JSON.stringify(tryJob(JSON.parse(job) as YamlJob)) }),
)
post('ready')

function tryJob({ text, edits }: YamlJob): ParsedYaml {
  if (isDeep(text)) return { problem: 'nests too deep' }
  try {
    const document = read(text)
    const value = toValue(document)
    if (edits === undefined) {
      last = { text, document }
      return { value }
    }
    const edited = editDocument(document, text, edits)
    last = { text: edited, document: read(edited) }
    const after = toValue(last.document)
    if (isDeepStrictEqual(after, withEdits(value, edits))) {
      return { value: { text: edited, value: after } satisfies EditedYaml }
    }
    return { problem: 'cannot be changed in one place alone; write its keys and aliases out' }
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n')
    return { problem: `is not YAML: ${reason}` }
  }
}

/** An edit is mostly one of the text that was read or written just before, and parsing is the dearest part of it. */
let last: { readonly text: string; readonly document: Document } | undefined

/** The caller may change the document. */
function read(text: string): Document {
  // Warnings would go to standard error.
  const options = { merge: true, logLevel: 'error' } as const
  const document = last?.text === text ? last.document : parseDocument(text, options)
  last = undefined
  const [error] = document.errors
  if (error !== undefined) throw error
  return document
}

function toValue(document: Document): unknown {
  // Aliases can be nested so that a small file grows without end.
  const value: unknown = document.toJS({ maxAliasCount: 100 })
  // Without references in common, as an edit of one would be one of the other.
  return value === undefined ? value : JSON.parse(JSON.stringify(value))
}

/** What the edited text must say. */
function withEdits(value: unknown, edits: readonly YamlEdit[]): unknown {
  const whole = { value }
  for (const { path, value: wanted } of edits) {
    const names = ['value', ...path]
    const last = names.pop() ?? ''
    let place: Record<string, unknown> = whole
    for (const name of names) {
      const inner = Object.hasOwn(place, name) ? place[name] : undefined
      if (typeof inner !== 'object' || inner === null) put(place, name, {})
      place = place[name] as Record<string, unknown>
    }
    if (wanted === undefined) delete place[last]
    else put(place, last, wanted)
  }
  return whole.value
}

/** Also a name such as `__proto__`. */
function put(place: object, name: string, value: unknown): void {
  Object.defineProperty(place, name, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  })
}

/** Whether a text may nest too deep, by its indentation and its brackets. */
function isDeep(text: string): boolean {
  const indents: number[] = []
  let flow = 0
  for (const line of text.split('\n')) {
    const indent = line.length - line.trimStart().length
    if (indent === line.length) continue
    while ((indents.at(-1) ?? -1) > indent) indents.pop()
    if (indents.at(-1) !== indent) indents.push(indent)
    // `- - a` opens two levels in one line.
    const [lead = ''] = /^(?:[ \t]|[-?:](?=\s|$))*/.exec(line) ?? []
    const indicators = lead.replaceAll(/\s/g, '').length
    for (const bracket of line.match(/[[\]{}]/g) ?? [])
      flow = Math.max(0, flow + (bracket === '[' || bracket === '{' ? 1 : -1))
    if (indents.length + indicators > DEEPEST || flow > DEEPEST_FLOW) return true
  }
  return false
}

function post(reply: Reply<string>): void {
  parentPort?.postMessage(reply)
}
