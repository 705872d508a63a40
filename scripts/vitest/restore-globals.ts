// Test files of a worker share one process. What a file changed in it must not reach the next one.
import { afterAll, vi } from 'vitest'

const env = { ...process.env }
const folder = process.cwd()

afterAll(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  process.chdir(folder)
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
})
