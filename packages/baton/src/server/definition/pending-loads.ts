import { ERROR_CODES, ProtocolError } from '../../protocol/error.ts'
import type { Feature } from './definitions.ts'

interface PendingLoad {
  readonly features: readonly Feature[]
  readonly load: () => Promise<void>
  running: Promise<void> | undefined
}

/**
 * Definitions that are still to be loaded. Each load happens when something of its features is first needed; who else
 * needs it meanwhile waits for the same load. One that fails is an error for those who wait, and is tried again
 * for the next.
 */
export class PendingLoads {
  readonly #loads = new Set<PendingLoad>()

  add(features: readonly Feature[], load: () => Promise<void>): void {
    this.#loads.add({ features, load, running: undefined })
  }

  /** Loads all that may belong to a feature; undefined if nothing is left to load. */
  ready(feature: Feature): Promise<void> | undefined {
    if (this.#loads.size === 0) return undefined
    const needed = [...this.#loads].filter(({ features }) => features.includes(feature))
    return needed.length === 0 ? undefined : this.#runAll(needed)
  }

  // One after the other, so that lists have the order in which the application asked for the loads.
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
