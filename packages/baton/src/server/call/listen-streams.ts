import { META_KEYS } from '../../protocol/meta.ts'
import type { SubscriptionFilter } from '../../protocol/subscription.ts'
import { isWanted, toNotification } from '../change.ts'
import type { Change } from '../change.ts'
import type { Call } from './call.ts'

interface ListenStream {
  readonly filter: SubscriptionFilter
  end(): void
}

/** The open `subscriptions/listen` calls of one connection. */
export class ListenStreams {
  readonly #streamsByCall = new Map<Call, ListenStream>()

  /** Acknowledges a stream, which must be its first message, and resolves when the stream ends. */
  open(call: Call, filter: SubscriptionFilter): Promise<void> {
    this.#send(call, 'notifications/subscriptions/acknowledged', { notifications: filter })
    return new Promise((resolve) => this.#streamsByCall.set(call, { filter, end: resolve }))
  }

  /** Ends the stream of a call, if there is one. */
  end(call: Call): void {
    this.#streamsByCall.get(call)?.end()
    this.#streamsByCall.delete(call)
  }

  /** Ends all streams. */
  endAll(): void {
    for (const call of this.#streamsByCall.keys()) this.end(call)
  }

  /** The resources that the streams are subscribed to. */
  *watched(): Iterable<string> {
    for (const { filter } of this.#streamsByCall.values()) yield* filter.resourceSubscriptions ?? []
  }

  /** Sends a change to the streams that subscribed to it. */
  publish(change: Change): void {
    const { method, params } = toNotification(change)
    for (const [call, { filter }] of this.#streamsByCall) {
      if (isWanted(change, filter, call.owner)) this.#send(call, method, params)
    }
  }

  #send(call: Call, method: string, params: object): void {
    call.notify(method, { ...params, _meta: { [META_KEYS.subscriptionId]: call.requestId } })
  }
}
