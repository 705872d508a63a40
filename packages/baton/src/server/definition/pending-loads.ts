import { ERROR_CODES, ProtocolError } from '../../protocol/error.ts'
import type { Feature } from './definitions.ts'

interface PendingLoad {
  readonly features: readonly Feature[]
  readonly load: () => Promise<void>
  running: Promise<void> | undefined
}

/**
 * Lazy loaders that have not run. A loader runs when one of its features is first needed, and concurrent requests wait for
 * the same run. If it fails, those requests fail, and the next request runs it again.
 */
export class PendingLoads {
  readonly #loads = new Set<PendingLoad>()

  add(features: readonly Feature[], load: () => Promise<void>): void {
    this.#loads.add({ features, load, running: undefined })
  }

  /** Runs the loaders of a feature; undefined if all have run. */
  ready(feature: Feature): Promise<void> | undefined {
    if (this.#loads.size === 0) return undefined
    const needed = [...this.#loads].filter(({ features }) => features.includes(feature))
    return needed.length === 0 ? undefined : this.#runAll(needed)
  }

  // Sequentially, so that lists are in the order in which the application registered the loaders.
  async #runAll(loads: readonly PendingLoad[]): Promise<void> {
    for (const load of loads) await (load.running ??= this.#run(load))
  }

  async #run(pending: PendingLoad): Promise<void> {
    try {
      await pending.load()
      this.#loads.delete(pending)
    } catch (cause) {
      pending.running = undefined
      const names = pending.features.join(' and ')
      const message = `${names} could not be loaded; the next request tries again`
      throw new ProtocolError(ERROR_CODES.internalError, message, undefined, { cause })
    }
  }
}
