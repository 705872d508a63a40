import type { Logger } from '../../support/logger.ts'
import type { Store } from '../../core/store/store.ts'
import type { SemanticIndex } from './semantic-index.ts'

const BATCH_SIZE = 256
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 300_000

export interface BackgroundOptions {
  readonly store: Store
  readonly semantic: SemanticIndex
  readonly logger: Logger
}

/**
 * Embeds new texts of all processes in the background. A failing model is retried with increasing pauses; writers
 * neither wait for it nor see its errors.
 */
export function startEmbedding({ store, semantic, logger }: BackgroundOptions): AsyncDisposable {
  const stop = new AbortController()
  let pause = FIRST_PAUSE_MS
  let running: Promise<void> | undefined
  let again = false
  let timer: NodeJS.Timeout | undefined

  const run = async (): Promise<void> => {
    try {
      do {
        again = false
        const pending = await semantic.catchUp({ store, signal: stop.signal }, BATCH_SIZE)
        again ||= pending > 0
      } while (again && !stop.signal.aborted)
      pause = FIRST_PAUSE_MS
    } catch (error) {
      if (stop.signal.aborted) return
      logger.warn('embedding failed, trying again later', { pause_ms: pause, error })
      timer = setTimeout(start, pause).unref()
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
    } finally {
      running = undefined
    }
  }
  const start = (): void => {
    clearTimeout(timer)
    timer = undefined
    running ??= run()
  }
  const unwatch = store.watch(() => {
    again = true
    // New texts do not shorten the pause after a failure.
    if (timer === undefined) start()
  })
  start()
  return {
    async [Symbol.asyncDispose]() {
      unwatch()
      clearTimeout(timer)
      stop.abort()
      await running
    },
  }
}
