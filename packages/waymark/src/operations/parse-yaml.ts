import type { Failure } from '../error.ts'
import { violation } from '../parse.ts'
import { startWorker } from '../worker/start-worker.ts'
import { WorkerPool } from '../worker/worker-pool.ts'

export type ParsedYaml = { readonly value: unknown } | { readonly problem: string }

/** Four megabytes of tasks take half of it. */
const LONGEST_MS = 20_000

/** A parser that follows deeper nesting can run out of stack where V8 ends the whole process. */
const DEEPEST = 200
const DEEPEST_FLOW = 1_000

/** YAML from a file can keep its parser busy for minutes. */
const WORKERS = new WorkerPool<string, string>({
  start: () => startWorker('yaml', { resourceLimits: { maxOldGenerationSizeMb: 1_024 } }),
  maxThreads: 1,
  jobMs: LONGEST_MS,
  slowMs: LONGEST_MS,
  idleMs: 1_000,
})

/** Parses YAML; an error names the file it is from. */
export async function parseYaml(text: string, path: string): Promise<unknown> {
  if (isDeep(text)) throw refusal(path, 'nests too deep')
  const outcome = await WORKERS.run(WORKERS, text)
  if ('failure' in outcome) {
    const isLong = outcome.failure === 'timeout'
    throw refusal(path, isLong ? `takes longer than ${LONGEST_MS / 1000} s` : 'cannot be parsed')
  }
  const parsed = JSON.parse(outcome.answer) as ParsedYaml
  if ('problem' in parsed) throw refusal(path, `is not YAML: ${parsed.problem}`)
  return parsed.value
}

function refusal(path: string, problem: string): Failure {
  return violation('path', 'bad_format', `${path.slice(0, 200)} ${problem}`)
}

/** Whether a text may nest deeper than its parser can follow, by its indentation and its brackets. */
function isDeep(text: string): boolean {
  const indents: number[] = []
  let flow = 0
  for (const line of text.split('\n')) {
    // `- - a` opens two levels in one line.
    const [lead = ''] = /^(?:[ \t]|[-?:](?=\s|$))*/.exec(line) ?? []
    const indicators = lead.replaceAll(/\s/g, '').length
    const indent = line.length - line.trimStart().length
    if (indent === line.length) continue
    while ((indents.at(-1) ?? -1) > indent) indents.pop()
    if (indents.at(-1) !== indent) indents.push(indent)
    for (const bracket of line.match(/[[\]{}]/g) ?? [])
      flow = Math.max(0, flow + (bracket === '[' || bracket === '{' ? 1 : -1))
    if (indents.length + indicators > DEEPEST || flow > DEEPEST_FLOW) return true
  }
  return false
}
