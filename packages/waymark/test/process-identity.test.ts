import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { hasEnded, runs, thisProcess, toProcessName } from '../src/support/process-identity.ts'

const isLinux = process.platform === 'linux'

it('a process that runs has not ended, and one that was waited for has', () => {
  expect(hasEnded(thisProcess())).toBe(false)
  const { pid } = spawnSync(process.execPath, ['--version'])
  expect(hasEnded(toProcessName(pid, ''))).toBe(true)
})

it('of a process in another place nothing is certain', () => {
  const { pid } = spawnSync(process.execPath, ['--version'])
  expect(hasEnded(`elsewhere ${pid} 1`)).toBe(false)
  expect(runs(`elsewhere ${process.pid} 1`)).toBe(false)
})

it.runIf(isLinux)('a process runs for certain only with its own start and since this boot', () => {
  expect(runs(thisProcess())).toBe(true)
  expect(runs(toProcessName(process.pid, '1'))).toBe(false)
})

it.runIf(isLinux)('a process from before the machine was started again has ended', () => {
  const [, pid, start = ''] = thisProcess().split(' ')
  const name = toProcessName(Number(pid), start, 'an-earlier-boot')
  expect([hasEnded(name), runs(name)]).toEqual([true, false])
})

it.runIf(isLinux)(
  'a number that was given to another process says that the first has ended',
  () => {
    expect(hasEnded(toProcessName(process.pid, '1'))).toBe(true)
  },
)

it.runIf(isLinux)(
  'a process that ended has ended, also while its parent does not ask for it',
  async () => {
    using parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 30'])
    const [line] = (await once(parent.stdout, 'data')) as [Buffer]
    const name = toProcessName(Number(line.toString()), '')
    await expect.poll(() => hasEnded(name)).toBe(true)
  },
)
