import { expect, it } from 'vitest'
import { createEmbeddedGenerator } from '../src/generator/embedded.ts'
import { request } from './modern-client.ts'
import { startProcess } from '../studio-process.ts'
import { createFolder, startStudio } from './support.ts'
import type { JobView } from './support.ts'

const GENERATE = { name: 'orpheus_generate', arguments: { bars: 60, max_tokens: 100_000, seed: 5 } }

/** A finished task, as far as tests look. */
interface FinishedTask {
  readonly result: { readonly structuredContent: JobView }
}

async function completed(url: string, taskId: unknown): Promise<JobView> {
  const get = (): Promise<object> => request(url, 'tasks/get', { taskId: String(taskId) })
  await expect.poll(get, { timeout: 120_000, interval: 200 }).toMatchObject({ status: 'completed' })
  return ((await get()) as FinishedTask).result.structuredContent
}

it('a client that knows tasks gets one, and the finished job as its result [tasks-client-knows]', async () => {
  await using studio = await startStudio()
  const task = await request(studio.url, 'tools/call', GENERATE)
  expect(task).toMatchObject({ resultType: 'task', status: 'working' })
  const job = await completed(studio.url, task['taskId'])
  expect(job).toMatchObject({ status: 'complete', result: { output_hashes: [expect.any(String)] } })
})

it('cancelling the task cancels the job', async () => {
  await using studio = await startStudio({ generator: createEmbeddedGenerator({ barMs: 1000 }) })
  const { taskId } = await request(studio.url, 'tools/call', GENERATE)
  await request(studio.url, 'tasks/cancel', { taskId: String(taskId) })
  await expect
    .poll(() => studio.call('list_jobs'))
    .toMatchObject({ jobs: [{ status: 'cancelled' }] })
})

it('a task goes on after kill -9, with the music that it would have made anyway [tasks-task-goes]', async () => {
  await using folder = await createFolder()
  const flags = ['--lease-ms', '2000']
  const first = await startProcess(folder.path, ...flags, '--bar-ms', '1000')
  const task = await request(first.url, 'tools/call', GENERATE)
  const taskId = String(task['taskId'])
  expect(await request(first.url, 'tasks/get', { taskId })).toMatchObject({ status: 'working' })
  await first.kill()

  await using second = await startProcess(folder.path, ...flags)
  const job = await completed(second.url, taskId)
  expect(job).toMatchObject({ status: 'complete', attempts: 2 })
  await using undisturbed = await startStudio()
  const other = await request(undisturbed.url, 'tools/call', GENERATE)
  const expected = await completed(undisturbed.url, other['taskId'])
  expect(job.result.output_hashes).toEqual(expected.result.output_hashes)
})
