import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ForksPoolWorker, type PoolOptions, type PoolRunnerInitializer } from 'vitest/node'

const NAME = 'small-forks'
let started = 0

/** A worker process that is replaced when it says that it has grown too large, see `report-size.ts`. */
class SmallFork extends ForksPoolWorker {
  override readonly name = NAME
  readonly #sign: string

  constructor(options: PoolOptions) {
    super(options)
    started += 1
    this.#sign = join(process.env['TEST_FOLDER'] ?? '', `large-worker-${started}`)
    this.env = { ...this.env, LARGE_WORKER_SIGN: this.#sign }
  }

  canReuse(): boolean {
    return !existsSync(this.#sign)
  }
}

export const SMALL_FORKS: PoolRunnerInitializer = {
  name: NAME,
  createPoolWorker: (options) => new SmallFork(options),
}
