import type { ServerNotifier } from '@waymark/baton'
import type { Dialect, DialectEvent, DialectResource } from '../../dialects/dialect.ts'
import { findRoute, type Route } from '../../dialects/resource-address.ts'
import { Failure } from '../../core/error.ts'
import type { Logger } from '../../support/logger.ts'
import type { Store } from '../../core/store/store.ts'
import type { Remote } from '../../core/remote.ts'
import { followRemote } from '../../event/follow-remote.ts'
import { withConcerned } from './concerned-tasks.ts'
import type { EventId } from '../../event/event-id.ts'

const READ_AT_ONCE = 500

/** How soon events are read that may only concern the list of prompts: no client has subscribed to a resource. */
const UNAWAITED_MS = 250

export interface ResourceWatchOptions {
  readonly logger: Logger
  readonly resources: readonly DialectResource[]
  readonly offersPrompts: boolean
  /** Dialects that tell of every event in a log message. */
  readonly tellers: readonly Pick<Dialect, 'name' | 'toNews'>[]
}

type Tell = (events: readonly DialectEvent[]) => void

/** Notifies clients of changes to subscribed resources, made by any process. */
export class ResourceWatch {
  readonly #options: ResourceWatchOptions
  readonly #followers = new WeakMap<Store, Follower>()
  #notify: ServerNotifier | undefined

  constructor(options: ResourceWatchOptions) {
    this.#options = options
  }

  start(notify: ServerNotifier): void {
    this.#notify = notify
  }

  /** Reports all events of the default project from now on. */
  async followHome(store: Store): Promise<void> {
    await this.#follow(store, (events) => {
      this.#tellUpdates(events)
      this.#tellNews(events)
    })
  }

  /** The same for a clone whose events are at the team server that it has joined. */
  async followJoined(remote: Remote, signal: AbortSignal): Promise<void> {
    const { resources, offersPrompts } = this.#options
    if (resources.length === 0 && !offersPrompts) return
    await followRemote(remote, signal, (events) => {
      this.#tellUpdates(events)
      this.#tellNews(events)
    })
  }

  /**
   * Reports events of a project that a client names in a subscription, from now on. The URI does not contain the project,
   * so a subscriber may get a superfluous notification.
   */
  async follow(store: Store): Promise<void> {
    await this.#follow(store, (events) => this.#tellUpdates(events))
    await this.#followers.get(store)?.read()
  }

  async #follow(store: Store, tell: Tell): Promise<void> {
    const { resources, offersPrompts, logger } = this.#options
    if ((resources.length === 0 && !offersPrompts) || this.#followers.has(store)) return
    const follower = new Follower(store, logger, async (events) => {
      const isNeeded = this.#needsConcerned()
      const withOthers = (event: DialectEvent) => withConcerned(store, event)
      tell(isNeeded ? await Promise.all(events.map(withOthers)) : events)
    })
    this.#followers.set(store, follower)
    const isUrgent = (): boolean => this.#isAwaited()
    store.watch(() => (isUrgent() ? void follower.read() : follower.readSoon()), { isUrgent })
    await follower.read()
  }

  /** Whether a client has asked for more than the list of prompts. */
  #isAwaited(): boolean {
    let isSubscribed = false
    this.#notify?.resourcesUpdated(() => {
      isSubscribed = true
      return false
    })
    return isSubscribed || this.#options.tellers.length > 0
  }

  /** Whether a resource that needs related entities is subscribed to: a hub may have thousands of them. */
  #needsConcerned(): boolean {
    if (!this.#options.resources.some(({ needsConcerned }) => needsConcerned)) return false
    let isNeeded = false
    this.#notify?.resourcesUpdated((uri) => {
      isNeeded ||= this.#findRoute(uri)?.resource.needsConcerned === true
      return false
    })
    return isNeeded
  }

  #tellUpdates(events: readonly DialectEvent[]): void {
    // Many clients may watch the same.
    const touchedByUri = new Map<string, boolean>()
    this.#notify?.resourcesUpdated((uri) => {
      const isTouched = touchedByUri.get(uri) ?? this.#isTouched(uri, events)
      touchedByUri.set(uri, isTouched)
      return isTouched
    })
  }

  #isTouched(uri: string, events: readonly DialectEvent[]): boolean {
    const route = this.#findRoute(uri)
    if (route === undefined) return false
    const { resource, variables } = route
    return events.some((event) => resource.isTouchedBy(event, variables))
  }

  #findRoute(uri: string): Route | undefined {
    try {
      return findRoute(this.#options.resources, uri)
    } catch (error) {
      // Checked when it was subscribed to, but maybe by an earlier version.
      if (error instanceof Failure) return undefined
      throw error
    }
  }

  #tellNews(events: readonly DialectEvent[]): void {
    for (const { name, toNews } of this.#options.tellers) {
      for (const event of events) this.#notify?.log('info', toNews?.(event), `${name}.events`)
    }
    if (this.#options.offersPrompts && events.some(concernsPrompts)) this.#notify?.promptsChanged()
  }
}

function concernsPrompts({ type, data }: DialectEvent): boolean {
  return !type.startsWith('relation.') && data['type'] === 'prompt'
}

/** Reads the events past a cursor, one read at a time. */
class Follower {
  readonly #store: Store
  readonly #logger: Logger
  readonly #tell: (events: readonly DialectEvent[]) => Promise<void>
  #cursor: EventId | undefined
  #reading: Promise<void> | undefined
  #again = false
  #timer: NodeJS.Timeout | undefined

  constructor(
    store: Store,
    logger: Logger,
    tell: (events: readonly DialectEvent[]) => Promise<void>,
  ) {
    this.#store = store
    this.#logger = logger
    this.#tell = tell
  }

  /** Resolves when all that is committed has been told. The first time it only finds the latest event. */
  read(): Promise<void> {
    this.#again = true
    return (this.#reading ??= this.#readAll())
  }

  readSoon(): void {
    this.#timer ??= setTimeout(() => void this.read(), UNAWAITED_MS).unref()
  }

  async #readAll(): Promise<void> {
    try {
      while (this.#again) {
        this.#again = false
        clearTimeout(this.#timer)
        this.#timer = undefined
        this.#cursor ??= await this.#store.events.latest()
        const events = await this.#store.events.after(this.#cursor, { limit: READ_AT_ONCE })
        this.#again ||= events.length === READ_AT_ONCE
        if (events.length > 0) await this.#tell(events)
        this.#cursor = events.at(-1)?.id ?? this.#cursor
      }
    } catch (error) {
      // The store may have been closed meanwhile; if not, the next commit tries again.
      this.#logger.debug('events could not be read', { error })
    } finally {
      this.#reading = undefined
    }
  }
}
