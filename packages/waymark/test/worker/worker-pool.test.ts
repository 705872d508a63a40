import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { type PoolOptions, WorkerPool } from '../../src/support/worker/worker-pool.ts'

/** Runs what it is sent as JavaScript, and answers with its value. */
const PROGRAM = `
  const { parentPort, threadId } = require('node:worker_threads')
  parentPort.on('message', async (code) => {
    try { parentPort.postMessage({ answer: await eval(code) }) }
    catch { parentPort.postMessage({ failure: 'memory' }) }
  })
  parentPort.postMessage('ready')`

interface TestPool extends AsyncDisposable {
  readonly pool: WorkerPool<string, unknown>
  readonly started: readonly Worker[]
  /** How many threads there were at once. */
  peak(): number
  run(code: string, owner?: object): Promise<unknown>
}

function createPool(options: Partial<PoolOptions<string>> = {}, program = PROGRAM): TestPool {
  const started: Worker[] = []
  let [live, peak] = [0, 0]
  const start = (): Worker => {
    const worker = new Worker(program, { eval: true, resourceLimits: LIMITS })
    started.push(worker)
    live += 1
    peak = Math.max(peak, live)
    return worker.once('exit', () => (live -= 1))
  }
  const limits = { maxThreads: 2, jobMs: 60_000, slowMs: 60_000, idleMs: 60_000 }
  const pool = new WorkerPool<string, unknown>({ start, ...limits, ...options })
  const nobody = {}
  return {
    pool,
    started,
    peak: () => peak,
    run: (code, owner = nobody) => pool.run(owner, code),
    [Symbol.asyncDispose]: () => pool.release(nobody),
  }
}

const LIMITS = { maxOldGenerationSizeMb: 32 }
const FOREVER = 'for (;;);'

describe('a pool of worker threads', () => {
  it('starts no thread before the first job, and one is enough for jobs that are not slow', async () => {
    await using test = createPool()
    expect(test.started).toHaveLength(0)
    const answers = await Promise.all([1, 2, 3].map((n) => test.run(`${n} * 2`)))
    expect(answers).toEqual([{ answer: 2 }, { answer: 4 }, { answer: 6 }])
    expect(test.started).toHaveLength(1)
  })

  it('ends a job at its time limit; the jobs behind it get a new thread', async () => {
    await using test = createPool({ jobMs: 500 })
    const outcomes = await Promise.all([test.run(FOREVER), test.run('1')])
    expect(outcomes).toEqual([{ failure: 'timeout' }, { answer: 1 }])
    expect(test.started).toHaveLength(2)
  })

  it('a job that got no processor time has up to four times its limit, and no more', async () => {
    await using test = createPool({ jobMs: 500 })
    const after = (ms: number) => `new Promise((done) => setTimeout(() => done(1), ${ms}))`
    expect(await test.run(after(1_200))).toEqual({ answer: 1 })
    expect(await test.run(after(1_000_000))).toEqual({ failure: 'timeout' })
  })

  it.each([
    [
      'runs out of memory',
      'const all = []; for (;;) all.push(new Array(1000).fill(all.length))',
      'memory',
    ],
    ['says that it has failed', 'throw new Error()', 'memory'],
    [
      'throws where nothing catches it',
      'setImmediate(() => { throw 1 }); new Promise(() => {})',
      'crash',
    ],
    ['exits', 'process.exit()', 'crash'],
  ])('a job that %s fails alone, and the next one gets a new thread', async (_, code, failure) => {
    await using test = createPool()
    expect(await test.run(code)).toEqual({ failure })
    expect(await test.run('1')).toEqual({ answer: 1 })
    expect(test.started).toHaveLength(2)
  })

  it('a slow job holds up no other: there may be a second thread, but never more', async () => {
    await using test = createPool({ slowMs: 50, jobMs: 1_000 })
    const slow = [test.run(FOREVER), test.run(FOREVER), test.run(FOREVER)]
    const order: string[] = []
    await Promise.all([
      ...slow.map(async (job) => order.push(JSON.stringify(await job))),
      test.run('1', {}).then(() => order.push('quick')),
    ])
    // The owner of the quick job is served before the second slow one.
    expect(order.indexOf('quick')).toBeLessThan(2)
    expect(test.peak()).toBe(2)
  })

  it('owners take turns, however many jobs one of them has', async () => {
    await using test = createPool({ maxThreads: 1 })
    const [one, other] = [{}, {}]
    const order: string[] = []
    const run = async (name: string, owner: object): Promise<unknown> => {
      const outcome = await test.run('1', owner)
      order.push(name)
      return outcome
    }
    const jobs = ['a1', 'a2', 'a3', 'a4'].map((name) => run(name, one))
    await Promise.all([...jobs, run('b1', other), run('b2', other)])
    expect(order).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a4'])
    await Promise.all([test.pool.release(one), test.pool.release(other)])
  })

  it('a thread that cannot be started fails the jobs that wait for it, and is tried again later', async () => {
    await using test = createPool({}, 'throw new Error("broken")')
    const outcomes = await Promise.all([test.run('1'), test.run('2')])
    expect(outcomes).toEqual([{ failure: 'unavailable' }, { failure: 'unavailable' }])
    await test.run('3')
    expect(test.started).toHaveLength(2)
  })

  it('an idle thread ends, and all of them with the last owner', async () => {
    await using test = createPool({ idleMs: 50 })
    const [one, other] = [{}, {}]
    await test.run('1', one)
    await exitOf(test.started[0])
    await Promise.all([test.run('1', one), test.run('1', other)])
    const running = test.run(FOREVER, other)
    await test.pool.release(one)
    const ended = exitOf(test.started[1])
    await test.pool.release(other)
    await ended
    expect(await running).toEqual({ failure: 'unavailable' })
  })
})

async function exitOf(worker: Worker | undefined): Promise<void> {
  await new Promise((resolve) => worker?.once('exit', resolve))
}
