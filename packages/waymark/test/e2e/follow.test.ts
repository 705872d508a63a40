import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { createProject } from '../setup.ts'
import { command } from '../surface/command.ts'
import { WAYMARK } from './binary.ts'

/** A command that goes on until it is stopped, and its lines as they come. */
function start(cwd: string, args: readonly string[]) {
  const child = spawn(process.execPath, [WAYMARK, ...args], { cwd })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  return {
    nextLine: async () => String((await lines.next()).value),
    stop: async () => {
      child.kill('SIGTERM')
      return await closed
    },
  }
}

it.each([
  ['events --follow', ['events', '--follow', '--json']],
  ['watch', ['watch', '--json', '--since', '0']],
])('%s tells what was, then what other processes do, until it is stopped', async (_name, words) => {
  await using repository = await createProject()
  const { directory } = repository
  await command(directory, ['task', 'create', 'Paint'])
  const following = start(directory, words)
  expect(JSON.parse(await following.nextLine())).toMatchObject({ id: 1, type: 'entity.created' })
  await command(directory, ['task', 'claim', '1', '--actor', 'ann'])
  const types = [await following.nextLine(), await following.nextLine()].map(
    (line) => (JSON.parse(line) as { type: string }).type,
  )
  expect(types).toEqual(['agent.joined', 'task.claimed'])
  const code = await following.stop()
  // Windows knows no signals: there the process is just gone.
  expect(code).toBe(process.platform === 'win32' ? null : 0)
})

it('events --follow of some types, from a cursor, in lines for people', async () => {
  await using repository = await createProject()
  const { directory } = repository
  await command(directory, ['task', 'create', 'Paint'])
  await command(directory, ['task', 'complete', '1'])
  const following = start(directory, ['events', '1', '--follow', '--type', 'task.done'])
  expect(await following.nextLine()).toMatch(/^\S+Z\t#1 Paint\ttask\.done\t/)
  await following.stop()
})

it.each([['--help'], ['project', 'schema'], ['watch', '--since', '0']])(
  '%s %s: a reader that goes away is no error',
  async (...words) => {
    await using repository = await createProject()
    const { directory } = repository
    await command(directory, ['task', 'create', 'Paint'])
    const child = spawn(process.execPath, [WAYMARK, ...words.filter(Boolean)], { cwd: directory })
    child.stdout.destroy()
    let err = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
    const code = await new Promise((resolve) => child.once('close', resolve))
    expect({ code, err }).toEqual({ code: 0, err: '' })
  },
)
