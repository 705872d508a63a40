import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ask, type Call, serve, WAYMARK } from './server.ts'

const WORDS =
  'cache lease queue token parser schema retry socket branch deploy invoice voucher'.split(' ')

export function createProject(directory: string, command = WAYMARK): string {
  mkdirSync(join(directory, '.waymark'), { recursive: true })
  writeFileSync(join(directory, 'README.md'), '# Bench\n')
  const name = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost']
  const commit = ['commit', '--quiet', '--no-gpg-sign', '--message', 'first']
  for (const args of [
    ['init', '--quiet'],
    ['add', 'README.md'],
    [...name, ...commit],
  ])
    execFileSync('git', args, { cwd: directory })
  execFileSync(process.execPath, [command, 'init'], { cwd: directory, stdio: 'ignore' })
  return directory
}

/** A project with so many tasks and decisions. */
export async function fillProject(
  directory: string,
  { tasks, decisions }: { readonly tasks: number; readonly decisions: number },
): Promise<void> {
  await using server = await serve(directory)
  for (let at = 0; at < tasks; at += 40) {
    const created = Array.from({ length: 40 }, (_, n) => toTask(at + n))
    await ask(server, ['task_create', { tasks: created }])
  }
  for (let at = 0; at < decisions; at += 32) {
    const calls = Array.from({ length: 32 }, (_, n) => toDecision(at + n))
    await Promise.all(calls.map((call) => ask(server, call)))
  }
}

export function toCreate(at: number): Call {
  return ['task_create', { tasks: [toTask(at)] }]
}

function toTask(at: number): object {
  return { title: `Task ${at} ${wordOf(at)}`, content: textOf(at) }
}

function toDecision(at: number): Call {
  const title = `Decision ${at} ${wordOf(at)}`
  return ['remember', { type: 'decision', title, content: textOf(at) }]
}

function wordOf(at: number): string {
  return WORDS[at % WORDS.length] ?? ''
}

function textOf(at: number): string {
  return Array.from({ length: 30 }, (_, n) => wordOf(at * 3 + n * n)).join(' ')
}
