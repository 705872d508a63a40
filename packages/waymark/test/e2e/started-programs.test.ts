import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { createRepository } from '../setup.ts'
import { startServerUnder, waymark } from './binary.ts'

/** It may be there and yet not be allowed to watch anybody. */
const hasStrace = spawnSync('strace', [...strace('/dev/null').slice(1), 'true']).status === 0

const FILE = 'src/client.ts'

/** What means something to git, to a shell or to a file system. */
const VALUES = [
  '-x',
  '--output=pwned',
  '--upload-pack=touch pwned',
  '--exec=touch pwned',
  ':(top)',
  ':!x',
  '@{-1}',
  'x\ny',
  'x\0y',
  'ext::touch% pwned',
  '$(touch pwned)',
  '`touch pwned`',
  '|touch pwned',
  'x'.repeat(10_240),
]

/** Every argument of every tool that reaches git. */
function callsWith(value: string): readonly (readonly [string, object])[] {
  return [
    ['code_why', { path: value }],
    ['code_why', { path: FILE, anchor: value }],
    ['code_deps', { path: value }],
    ['code_deps', { path: FILE, anchor: value }],
    ['code_history', { path: value }],
    ['code_history', { path: FILE, anchor: value }],
    ['code_summary', { path: value }],
    ['code_correct', { path: value, reason: 'no' }],
    ['annotate', { commit: value, summary: 'why' }],
    ['annotate', { summary: 'why', regions: [{ file: value, intent: 'why' }] }],
    ['task_check_edit', { path: value }],
    ['brief', { paths: [value] }],
    ['artifact_add', { path: value }],
    ['sync_run', { remote: value }],
  ]
}

function strace(log: string): string[] {
  return ['strace', '-f', '-qq', '--seccomp-bpf', '-e', 'trace=execve', '-o', log]
}

/** Names of the programs that were started. */
function startedPrograms(log: string): Set<string> {
  const started = readFileSync(log, 'utf8').matchAll(/execve\("([^"]+)".* = 0$/gm)
  return new Set([...started].map(([, path = '']) => basename(path)))
}

it.skipIf(!hasStrace)(
  'whatever reaches git as an argument starts no program but git, and makes no file [started-programs-whatever-reaches]',
  async () => {
    await using repository = createRepository()
    const { directory: cwd } = repository
    const log = join(cwd, '.git', 'execve.log')
    execFileSync('strace', [...strace(log).slice(1), 'sh', '-c', 'git --version'])
    expect(startedPrograms(log), 'a shell would be noticed').toEqual(new Set(['sh', 'git']))

    mkdirSync(join(cwd, 'src'))
    writeFileSync(join(cwd, FILE), 'export function connect(): void {}\n')
    execFileSync('git', ['-C', cwd, 'add', '.'])
    const identity = ['-c', 'user.email=test@example.invalid']
    execFileSync('git', ['-C', cwd, ...identity, 'commit', '--quiet', '--message', 'one'])
    await waymark(cwd, ['init'])
    const before = readdirSync(cwd).toSorted()

    const server = await startServerUnder(strace(log), cwd)
    for (const [name, values] of VALUES.flatMap(callsWith)) {
      const { result, error } = await server.request('tools/call', { name, arguments: values })
      expect(result ?? error, name).toBeDefined()
    }
    server.child.stdin.end()
    expect(await server.closed).toMatchObject({ code: 0 })
    expect(startedPrograms(log)).toEqual(new Set([basename(process.execPath), 'git']))
    expect(readdirSync(cwd).toSorted()).toEqual(before)
  },
)
