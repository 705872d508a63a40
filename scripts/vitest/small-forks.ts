import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ForksPoolWorker, type PoolOptions, type PoolRunnerInitializer } from 'vitest/node'

const NAME = 'small-forks'
let started = 0

// Every process that a test starts copies the page tables of its worker. With a limit this low V8 lets its heap grow by
// less than half before it collects, not fourfold.
const SMALL_HEAP = ['--max-semi-space-size=8', '--max-old-space-size=512']
/** glibc gives back what was freed. */
const SMALL_MALLOC = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' }

/** A worker process that is replaced when it says that it has grown too large, see `report-size.ts`. */
class SmallFork extends ForksPoolWorker {
  override readonly name = NAME
  readonly #sign: string

  constructor(options: PoolOptions) {
    super(options)
    started += 1
    this.#sign = join(process.env['TEST_FOLDER'] ?? '', `large-worker-${started}`)
    this.env = { ...this.env, ...SMALL_MALLOC, LARGE_WORKER_SIGN: this.#sign }
    this.execArgv = [...this.execArgv, ...SMALL_HEAP]
  }

  canReuse(): boolean {
    return !existsSync(this.#sign)
  }
}

export const SMALL_FORKS: PoolRunnerInitializer = {
  name: NAME,
  createPoolWorker: (options) => new SmallFork(options),
}
