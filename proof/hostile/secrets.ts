import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { execute } from '../../packages/waymark/src/execute.ts'
import { allOperations } from '../../packages/waymark/src/operations/index.ts'
import { openProject } from '../../packages/waymark/src/project.ts'
import type { Findings, Proof, Trial } from '../proof.ts'
import { contextOf } from '../system/agent.ts'
import { createRandom, type Random } from '../../packages/baton/test/support/random.ts'
import { createProject } from '../system/repository.ts'
import { hostileInput } from './hostile-input.ts'

const CALLS = { short: 400, full: 2000 }
const CALLS_WITH_FAULT = 100
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789'

/** Every operation that writes is given texts with a secret in them; afterwards every file is searched for it. */
export const secrets: Proof = {
  id: 'secrets',
  promise: 'A secret in a text reaches neither the store nor Git nor the error that refuses it',
  unit: 'calls with a secret',
  goal: 2000,
  faults: ['everything_allowed'],
  run: trySecrets,
}

async function trySecrets({ seed, level, fault }: Trial): Promise<Findings> {
  using project = await createProject()
  const random = createRandom(seed)
  const planted: string[] = []
  let echoed = 0
  const calls = fault === undefined ? CALLS[level] : CALLS_WITH_FAULT
  {
    await using open = await openProject(project.path)
    const allowedSecrets = fault === undefined ? new Set<string>() : ('all' as const)
    const context = { ...contextOf(open, 'careless'), allowedSecrets }
    const operations = (await allOperations()).filter(({ effect }) => effect === 'write')
    for (let call = 0; call < calls; call += 1) {
      const secret = makeSecret(random)
      planted.push(secret)
      const operation = random.pick(operations)
      const input = hostileInput(operation, `the key is ${secret} now`, random)
      const error = await execute(context, operation, input).then(
        () => undefined,
        (reason: unknown) => reason,
      )
      if (error instanceof Error && error.message.includes(secret)) echoed += 1
    }
  }
  const files = readAll(project.path)
  const stored = planted.filter((secret) => files.some((file) => file.includes(secret)))
  return {
    tried: calls,
    violations: { stored: stored.length, echoed },
    figures: { files_searched: files.length },
  }
}

/** Made here and now: what looks like a secret must not stand in a source file. */
function makeSecret(random: Random): string {
  const letters = (count: number): string =>
    Array.from({ length: count }, () => LETTERS.charAt(random.below(LETTERS.length))).join('')
  return random.pick([
    () => `ghp_${letters(36)}`,
    () => `sk-ant-api03-${letters(60)}`,
    () => `npm_${letters(36)}`,
    () => `glpat-${letters(24)}`,
    () => `xoxb-${letters(40)}`,
  ])()
}

function readAll(folder: string): Buffer[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name)))
}
