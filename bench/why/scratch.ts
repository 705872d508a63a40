import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { createContext, type Context } from '../../packages/waymark/src/core/context.ts'
import { SILENT } from '../../packages/waymark/src/support/logger.ts'
import { initialiseProject, openProject } from '../../packages/waymark/src/core/project/project.ts'
import type { Repository } from '../../packages/waymark/src/git/repository.ts'

/** A clone of a repository that may be written to; the repository itself is only read. */
export async function cloneInto(parent: string, name: string, source: string): Promise<string> {
  const directory = join(parent, name)
  execFileSync('git', ['clone', '--quiet', '--no-tags', source, directory], { stdio: 'ignore' })
  await initialiseProject(directory)
  return directory
}

export interface Opened extends AsyncDisposable {
  readonly context: Context
  readonly repository: Repository
}

export async function open(directory: string): Promise<Opened> {
  const project = await openProject(directory)
  const { store, code, root } = project
  const agent = { name: 'bench', surface: 'api' } as const
  return {
    context: createContext({ store, agent, logger: SILENT, project: { root }, code }),
    repository: await code.repository(),
    [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
  }
}

export function git(directory: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-C', directory, '-c', 'core.quotePath=false', ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 29,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** So many of them, each once, in an order that the seed decides. */
export function sample<Item>(
  items: readonly Item[],
  count: number,
  random: () => number,
): readonly Item[] {
  const keyed = items.map((item) => ({ item, key: random() }))
  return keyed
    .toSorted((a, b) => a.key - b.key)
    .slice(0, count)
    .map(({ item }) => item)
}
