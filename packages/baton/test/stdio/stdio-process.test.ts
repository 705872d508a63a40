import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { bundleProgram } from '../../../../scripts/vitest/bundle-program.ts'

const SERVER = new URL('../fixtures/noisy-server.ts', import.meta.url)

interface RunningServer {
  readonly process: ChildProcessWithoutNullStreams
  readonly written: { stdout: string; stderr: string }
  /** The exit code, once everything is read. */
  readonly exited: Promise<number>
}

function startServer(): RunningServer {
  const child = spawn(process.execPath, [bundleProgram(SERVER)])
  const written = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.stderr += text))
  const exited = once(child, 'close').then(([code]) => code as number)
  return { process: child, written, exited }
}

function call(id: number, name: string): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } })}\n`
}

test('standard output carries nothing but the protocol, and the end of input ends the process [stdio-process-standard-output]', async () => {
  const { process: child, written, exited } = startServer()
  child.stdin.write(call(1, 'shout') + call(2, 'explode') + call(3, 'shout'))
  child.stdin.end()
  expect(await exited).toBe(0)
  const lines = written.stdout.trimEnd().split('\n')
  const ids = lines.map((line) => (JSON.parse(line) as { id: number }).id)
  expect(new Set(ids)).toEqual(new Set([1, 2, 3]))
  expect(ids).toHaveLength(3)
  expect(written.stderr).toContain('a stray line')
  expect(written.stderr).toContain('half a line')
  expect(written.stderr).toContain('ended: input ended')
})

test.each([
  ['crash', 'uncaught on purpose'],
  ['rejection', 'unhandled on purpose'],
])(
  'a process that ends with a %s writes nothing else to standard output [stdio-process-ends-writes]',
  async (tool, reason) => {
    const { process: child, written, exited } = startServer()
    child.stdin.write(call(1, 'shout') + call(2, tool))
    expect(await exited).not.toBe(0)
    const lines = written.stdout.split('\n')
    expect(lines.pop()).toBe('')
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
    expect(lines.length).toBeGreaterThan(0)
    expect(written.stderr).toContain(reason)
  },
)

test('a client that disconnects ends the process', async () => {
  const { process: child, written, exited } = startServer()
  child.stdin.write(call(1, 'shout'))
  await expect.poll(() => written.stdout).toContain('"id":1')
  child.stdout.destroy()
  child.stdin.write(call(2, 'shout'))
  expect(await exited).toBe(0)
  expect(written.stderr).toContain('ended: output closed')
})
