import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connectInMemory } from '@waymark/baton'
import * as fc from 'fast-check'
import { loadConfig } from '../../packages/waymark/src/core/project/config.ts'
import type { Context } from '../../packages/waymark/src/core/context.ts'
import { loadDialects } from '../../packages/waymark/src/dialects/load-dialects.ts'
import { Failure, toFailureReport } from '../../packages/waymark/src/core/error.ts'
import { execute } from '../../packages/waymark/src/core/execute.ts'
import { createLogger } from '../../packages/waymark/src/support/logger.ts'
import type { Operation } from '../../packages/waymark/src/core/operation.ts'
import { allOperations } from '../../packages/waymark/src/registry.ts'
import { openProject } from '../../packages/waymark/src/core/project/project.ts'
import { createMcpServer } from '../../packages/waymark/src/surfaces/mcp/mcp.ts'
import type { Findings, Proof, Trial } from '../proof.ts'
import { contextOf } from '../system/agent.ts'
import { createRandom } from '../../packages/baton/test/support/random.ts'
import { PLANTED } from '../../packages/waymark/test/domain/secrets/planted.ts'
import { createProject } from '../system/repository.ts'
import { hostileCall } from './hostile-input.ts'

const CALLS = { short: 400, full: 2000 }
const CALLS_WITH_FAULT = 100

/** Every operation that writes is given texts with a secret in them; afterwards every file is searched for it. */
export const secrets: Proof = {
  id: 'secrets',
  promise: 'A secret in a text reaches neither the store nor Git nor the error that refuses it',
  unit: 'calls with a secret',
  goal: 2000,
  faults: ['everything_allowed', 'into_git_alone'],
  run: trySecrets,
}

async function trySecrets({ seed, level, fault }: Trial): Promise<Findings> {
  using project = await createProject()
  const random = createRandom(seed)
  const calls = fault === undefined ? CALLS[level] : CALLS_WITH_FAULT
  const planted = makeSecrets(seed, calls)
  const log: string[] = []
  let echoed = 0
  let opened: readonly Buffer[]
  {
    await using open = await openProject(project.path)
    const allowedSecrets = fault === 'everything_allowed' ? ('all' as const) : new Set<string>()
    const logger = createLogger({
      level: 'trace',
      target: 'proof',
      write: (line) => log.push(line),
    })
    const context = { ...contextOf(open, 'careless'), allowedSecrets, logger }
    const server = createMcpServer({
      dialects: await loadDialects('waymark', { toolsets: 'all' }),
      store: open.store,
      project: { root: open.root, state: open.state },
      config: { ...loadConfig(undefined, {}), logLevel: 'trace' },
      logger,
    })
    const client = connectInMemory(server)
    const operations = (await allOperations()).filter(({ effect }) => effect === 'write')
    for (const { text, needle } of planted) {
      const { operation, input } = hostileCall(operations, `the key is ${text} now`, random)
      if ((await answerOf(context, operation, input)).includes(needle)) echoed += 1
      // A server writes down what it was asked.
      const answer = await client.request('tools/call', {
        name: operation.name.replace('.', '_'),
        arguments: input,
      })
      if (fault === undefined && JSON.stringify(answer).includes(needle)) echoed += 1
    }
    // The write-ahead log is gone once the last connection is closed.
    opened = readAll(project.path)
    client.close()
  }
  if (fault === 'into_git_alone') annotate(project.path, planted[0]?.text ?? '')
  const files = [...opened, ...readAll(project.path), readObjects(project.path)]
  const found = (places: readonly (Buffer | string)[]): number =>
    planted.filter(({ needle }) => places.some((place) => place.includes(needle))).length
  return {
    tried: calls,
    violations: { stored: found(files), echoed, logged: found([log.join('\n')]) },
    figures: { formats: FORMATS.length, files_searched: files.length, log_lines: log.length },
  }
}

/** All that a caller is told when it is refused. */
async function answerOf(context: Context, operation: Operation, input: object): Promise<string> {
  try {
    await execute(context, operation, input)
    return ''
  } catch (error) {
    return error instanceof Failure ? JSON.stringify(toFailureReport(error)) : String(error)
  }
}

const FORMATS = Object.values(PLANTED)

interface Planted {
  readonly text: string
  /** The longest part that looks the same wherever it is written: without blanks, quotes and backslashes. */
  readonly needle: string
}

/** Made here and now, of every form in turn: what looks like a secret must not stand in a source file. */
function makeSecrets(seed: number, count: number): readonly Planted[] {
  const each = Math.ceil(count / FORMATS.length)
  const samples = FORMATS.map((format) => fc.sample(format, { seed, numRuns: each }))
  return Array.from({ length: count }, (_, at) => {
    const text = samples[at % FORMATS.length]?.[Math.floor(at / FORMATS.length)] ?? ''
    const parts = text.split(/[\s"'\\]+/).toSorted((a, b) => b.length - a.length)
    return { text, needle: parts[0] ?? text }
  })
}

function readAll(folder: string): Buffer[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name)))
}

/** Git keeps what it is given in a form in which a text cannot be seen. */
function readObjects(directory: string): Buffer {
  const args = ['-C', directory, 'cat-file', '--batch-all-objects', '--batch']
  return execFileSync('git', args, { maxBuffer: 1 << 28 })
}

/** Goes round Waymark. */
function annotate(directory: string, text: string): void {
  execFileSync('git', ['-C', directory, 'notes', 'add', '-m', text], { stdio: 'ignore' })
}
