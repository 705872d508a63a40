import { parentPort } from 'node:worker_threads'
import { parse } from 'yaml'
import { editDocument } from './edit-document.ts'
import type { Reply } from '../worker/worker-pool.ts'
import type { ParsedYaml, YamlJob } from './parse-yaml.ts'

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
    // Aliases can be nested so that a small file grows without end. Warnings would go to standard error.
    const value = parse(text, { maxAliasCount: 100, logLevel: 'error' }) as unknown
    return { value: edits === undefined ? value : editDocument(text, edits) }
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n')
    return { problem: `is not YAML: ${reason}` }
  }
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
