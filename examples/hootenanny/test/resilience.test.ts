import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const SCRIPT = fileURLToPath(new URL('../resilience.ts', import.meta.url))

it('after kill -9 a client goes on with its session, its job and the events that it missed [resilience-after-kill]', async () => {
  const args = ['--conditions=@waymark/source', '--import', 'tsx', SCRIPT]
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 170_000 })
  expect(stdout).toContain('the same session goes on, and the job was finished at attempt 2')
  expect(stdout).toContain('it hears what it missed')
  expect(stdout).toContain('the interrupted job made the same music')
})
