import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createContext } from '../../core/context.ts'
import type { Config } from '../../core/project/config.ts'
import type { OpenProject } from '../../core/project/project.ts'
import { withFileLock } from '../../support/files/file-lock.ts'
import type { Logger } from '../../support/logger.ts'

/** Between two looks for a server that syncs this clone already, and after failures, up to the longest. */
const PAUSE_MS = 15_000
const LONGEST_PAUSE_MS = 5 * 60_000

interface BackgroundSync {
  readonly project: OpenProject
  readonly config: Config
  readonly logger: Logger
}

/**
 * Keeps the clone current while it is served, as `waymark sync --watch` does. Of several servers of one clone one does
 * it, and another takes over when that one ends. Requests neither wait for it nor see its errors.
 */
export function startSync(options: BackgroundSync): AsyncDisposable {
  const stop = new AbortController()
  const running = run(options, stop.signal)
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}

async function run(options: BackgroundSync, signal: AbortSignal): Promise<void> {
  const lock = join(options.project.state, 'sync-watch.lock')
  let pause = PAUSE_MS
  while (!signal.aborted) {
    try {
      await withFileLock(lock, 100, async (held) => {
        if (held !== undefined) await watch(options, signal)
      })
      pause = PAUSE_MS
    } catch (error) {
      if (signal.aborted) return
      options.logger.warn('sync failed, trying again later', { pause_ms: pause, error })
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
    }
    await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined)
  }
}

async function watch({ project, config, logger }: BackgroundSync, signal: AbortSignal) {
  const { store, root, state, code } = project
  // Loaded when it is needed: a server answers its client first.
  const { execute } = await import('../../core/execute.ts')
  const { runSync } = await import('../../sync/operations.ts')
  const { unattended } = await import('../../sync/remote/unattended.ts')
  const context = createContext({
    store,
    agent: { name: config.actor ?? null, surface: 'api' },
    logger,
    project: { root, state },
    code: unattended(code),
    coordination: config.coordination,
    signal,
  })
  await execute(context, runSync, { watch: true })
}
