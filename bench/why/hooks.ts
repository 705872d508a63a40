import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execute } from '../../packages/waymark/src/core/execute.ts'
import { installCodeHooks } from '../../packages/waymark/src/hook/operations.ts'
import { readChildrenCpu } from '../baton/process-usage.ts'
import { median, sum, timed, toRatio } from '../statistics.ts'
import { takeTurns } from '../turns.ts'
import { cloneInto, git, open } from './scratch.ts'

const WAYMARK = fileURLToPath(new URL('../../packages/waymark/bin/waymark.js', import.meta.url))
const ROUNDS = 15
const PICKS = 20

export interface HookTimes {
  readonly what: string
  readonly plain: number
  readonly hooked: number
  readonly ratio: number
  /** Of the CPU time of all rounds. */
  readonly cpuRatio: number
}

/** What commits take in two clones, one of them with hooks and nothing to do for them. */
export async function timeHooks(parent: string, source: string): Promise<readonly HookTimes[]> {
  const bin = join(parent, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'waymark'), `#!/bin/sh\nexec '${process.execPath}' '${WAYMARK}' "$@"\n`)
  chmodSync(join(bin, 'waymark'), 0o755)
  const clones = [
    await cloneInto(parent, 'plain', source),
    await cloneInto(parent, 'hooked', source),
  ] as const
  await using opened = await open(clones[1])
  await execute(opened.context, installCodeHooks, {})
  for (const clone of clones) prepare(clone)
  const env = {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
    GIT_EDITOR: 'true',
  }
  const run = (clone: string, ...args: string[]) =>
    execFileSync('git', ['-C', clone, ...args], { env, stdio: 'ignore' })
  const commit = (clone: string) => {
    appendFileSync(join(clone, 'measured.txt'), 'line\n')
    return timed(async () => run(clone, 'commit', '--quiet', '--all', '-m', 'one'))
  }
  const amend = (clone: string) =>
    timed(async () => run(clone, 'commit', '--quiet', '--amend', '--allow-empty', '-m', 'two'))
  const rebase = async (clone: string) => {
    run(clone, 'checkout', '--quiet', '-B', 'work', 'topic')
    const took = await timed(async () => run(clone, 'rebase', '--quiet', 'base'))
    run(clone, 'checkout', '--quiet', 'base')
    return took
  }
  return [
    await compare('commit', clones, commit),
    await compare('commit --amend', clones, amend),
    await compare(`rebase of ${PICKS} commits`, clones, rebase),
  ]
}

async function compare(
  what: string,
  [plain, hooked]: readonly [string, string],
  act: (clone: string) => Promise<number>,
): Promise<HookTimes> {
  const measure = (clone: string) => async () => {
    const before = readChildrenCpu(process.pid)
    const ms = await act(clone)
    return { ms, cpu: readChildrenCpu(process.pid) - before }
  }
  const samples = await takeTurns(ROUNDS, { plain: measure(plain), hooked: measure(hooked) })
  const [own, floor] = [samples.get('hooked') ?? [], samples.get('plain') ?? []]
  const of = (taken: typeof own, part: 'ms' | 'cpu') => taken.map((each) => each[part])
  return {
    what,
    plain: median(of(floor, 'ms')),
    hooked: median(of(own, 'ms')),
    ratio: toRatio(of(own, 'ms'), of(floor, 'ms')),
    cpuRatio: sum(of(own, 'cpu')) / sum(of(floor, 'cpu')),
  }
}

/** A branch of commits, and another one that has moved on. */
function prepare(clone: string): void {
  git(clone, 'config', 'user.name', 'bench')
  git(clone, 'config', 'user.email', 'bench@example.com')
  git(clone, 'checkout', '--quiet', '-B', 'topic')
  for (let at = 0; at < PICKS; at += 1) {
    writeFileSync(join(clone, `picked${at}.txt`), `${at}\n`)
    git(clone, 'add', '--all')
    git(clone, 'commit', '--quiet', '--no-verify', '-m', `pick ${at}`)
  }
  git(clone, 'checkout', '--quiet', '-B', 'base', `HEAD~${PICKS}`)
  writeFileSync(join(clone, 'measured.txt'), 'line\n')
  git(clone, 'add', '--all')
  git(clone, 'commit', '--quiet', '-m', 'base')
}
