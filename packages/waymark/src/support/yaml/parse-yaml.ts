import { violation } from '../../core/input/parse.ts'
import { startWorker } from '../worker/start-worker.ts'
import { WorkerPool } from '../worker/worker-pool.ts'

/** One place of a document; without a value it is removed. */
export interface YamlEdit {
  readonly path: readonly string[]
  readonly value?: unknown
}

/** With edits, an EditedYaml is wanted instead of the value. */
export interface YamlJob {
  readonly text: string
  readonly edits?: readonly YamlEdit[]
}

/** The value or the text, or what is wrong with the given one as the second half of a sentence. */
export type ParsedYaml = { readonly value: unknown } | { readonly problem: string }

/** As much as some 5,000 tasks. The parser takes up to 600 times as much memory. */
const LARGEST_TEXT = 1024 * 1024
const LONGEST_MS = 20_000

/** The parser is quadratic in the keys of a map, and exponential in nested ones. */
const WORKERS = new WorkerPool<string, string>({
  start: () => startWorker('yaml', { resourceLimits: { maxOldGenerationSizeMb: 2_048 } }),
  maxThreads: 1,
  jobMs: LONGEST_MS,
  slowMs: LONGEST_MS,
  idleMs: 1_000,
})

/** Parses YAML from a file, which an error names. */
export async function parseYaml(text: string, path: string): Promise<unknown> {
  return await runJob({ text }, path)
}

export interface EditedYaml {
  readonly text: string
  /** What the text says. */
  readonly value: unknown
}

/** The text with these edits. Comments, unknown keys and the style of everything else stay as far as possible. */
export async function editYaml(
  text: string,
  edits: readonly YamlEdit[],
  path: string,
): Promise<EditedYaml> {
  return (await runJob({ text, edits }, path)) as EditedYaml
}

async function runJob(job: YamlJob, path: string): Promise<unknown> {
  const parsed = await runInWorker(job)
  if ('value' in parsed) return parsed.value
  throw violation('path', 'bad_format', `${path.slice(0, 200)} ${parsed.problem}`)
}

async function runInWorker(job: YamlJob): Promise<ParsedYaml> {
  if (job.text.length > LARGEST_TEXT)
    return { problem: `has more than ${LARGEST_TEXT} characters of YAML; split it` }
  const outcome = await WORKERS.run(WORKERS, JSON.stringify(job))
  if ('answer' in outcome) return JSON.parse(outcome.answer) as ParsedYaml
  return outcome.failure === 'timeout'
    ? { problem: `takes longer than ${LONGEST_MS / 1000} s to parse; split it` }
    : { problem: 'cannot be parsed' }
}
