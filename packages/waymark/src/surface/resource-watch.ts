import type { ServerNotifier } from '@waymark/baton'
import type { Dialect, DialectEvent, DialectResource } from '../dialects/dialect.ts'
import { type Route, toAddress } from '../dialects/resource-address.ts'
import type { Logger } from '../logger.ts'
import type { Store } from '../store/store.ts'

const READ_AT_ONCE = 500

export interface ResourceWatchOptions {
  readonly store: Store
  readonly logger: Logger
  readonly resources: readonly DialectResource[]
  readonly offersPrompts: boolean
  /** Dialects that tell of every event in a log message. */
  readonly tellers: readonly Pick<Dialect, 'name' | 'toNews'>[]
}

/**
 * Tells clients when what they watch has changed, whichever process changed it: reads the events past a cursor after
 * every commit. Ends with the store.
 */
export class ResourceWatch {
  readonly #options: ResourceWatchOptions
  readonly #watched = new Map<string, { readonly route: Route; count: number }>()
  #cursor: number | undefined
  #isReading = false
  #again = false

  constructor(options: ResourceWatchOptions) {
    this.#options = options
  }

  /** Everything from now on is told to `notify`. */
  start(notify: ServerNotifier): void {
    const { store } = this.#options
    const read = (): void => {
      this.#again = true
      if (!this.#isReading) void this.#read(notify)
    }
    store.watch(read)
    read()
  }

  add(uri: string, route: Route): void {
    const known = this.#watched.get(uri)
    if (known === undefined) this.#watched.set(uri, { route, count: 1 })
    else known.count += 1
  }

  remove(uri: string): void {
    const known = this.#watched.get(uri)
    if (known === undefined) return
    known.count -= 1
    if (known.count === 0) this.#watched.delete(uri)
  }

  async #read(notify: ServerNotifier): Promise<void> {
    const { store, logger } = this.#options
    this.#isReading = true
    try {
      // Whatever happened before anybody could ask is no news.
      this.#cursor ??= await store.events.latest()
      while (this.#again) {
        this.#again = false
        const events = await store.events.after(this.#cursor, { limit: READ_AT_ONCE })
        this.#cursor = events.at(-1)?.id ?? this.#cursor
        this.#again ||= events.length === READ_AT_ONCE
        this.#tell(events, notify)
      }
    } catch (error) {
      // The store may have been closed meanwhile; if not, the next commit tries again.
      logger.debug('events could not be read', { error })
    } finally {
      this.#isReading = false
    }
  }

  #tell(events: readonly DialectEvent[], notify: ServerNotifier): void {
    const changed = new Set(events.flatMap((event) => this.#touched(event)))
    for (const uri of changed) notify.resourceUpdated(uri)
    for (const { name, toNews } of this.#options.tellers) {
      for (const event of events) notify.log('info', toNews?.(event), `${name}.events`)
    }
    if (this.#options.offersPrompts && events.some(concernsPrompts)) notify.promptsChanged()
  }

  /** What is known to be watched, and every address that can be told from the event: a session may be older than us. */
  #touched(event: DialectEvent): readonly string[] {
    const watched = [...this.#watched].filter(([, { route }]) =>
      route.resource.isTouchedBy(event, route.variables),
    )
    const named = this.#options.resources.flatMap((resource) => {
      const { template } = resource
      if (resource.touchedBy !== undefined) {
        return resource.touchedBy(event).map((variables) => toAddress(template, variables))
      }
      return !template.includes('{') && resource.isTouchedBy(event, {}) ? [template] : []
    })
    return [...watched.map(([uri]) => uri), ...named]
  }
}

function concernsPrompts({ type, data }: DialectEvent): boolean {
  return !type.startsWith('relation.') && data['type'] === 'prompt'
}
