import { invalidParams } from '../../protocol/error.ts'
import { isJsonObject } from '../../protocol/json-rpc.ts'
import { META_KEYS } from '../../protocol/meta.ts'
import type { SubscriptionFilter } from '../../protocol/subscription.ts'
import type { Call } from '../call/call.ts'
import type { ServerRuntime } from '../runtime.ts'
import { requireCapability } from './method.ts'
import type { ConnectionPort, Method } from './method.ts'
import { readUri } from './resources.ts'

/** `resources/subscribe`: subscribes a legacy client to a resource. */
export const subscribe: Method = {
  era: 'legacy',
  async run(runtime: ServerRuntime, call: Call, connection: ConnectionPort): Promise<object> {
    requireCapability(runtime, call, 'resources')
    const uri = readUri(call)
    const before = connection.state?.subscriptions ?? []
    if (before.includes(uri)) return {}
    checkRoom(before.length + 1, runtime)
    await runtime.handler.subscribe?.(uri, call.context)
    changeSubscriptions(connection, (uris) => [...uris, uri])
    return {}
  },
}

/** `resources/unsubscribe`: a no-op if the client is not subscribed. */
export const unsubscribe: Method = {
  era: 'legacy',
  async run(runtime: ServerRuntime, call: Call, connection: ConnectionPort): Promise<object> {
    requireCapability(runtime, call, 'resources')
    const uri = readUri(call)
    // The handler must not end a subscription that only another client has.
    if (connection.state?.subscriptions.includes(uri) !== true) return {}
    changeSubscriptions(connection, (uris) => uris.filter((other) => other !== uri))
    await runtime.handler.unsubscribe?.(uri, call.context)
    return {}
  },
}

/** `subscriptions/listen`: opens a stream of notifications for a modern client. */
export const listen: Method = {
  era: 'modern',
  async run(runtime: ServerRuntime, call: Call, connection: ConnectionPort): Promise<object> {
    const filter = await toSupportedFilter(runtime, call, readFilter(call))
    await connection.listen(call, filter)
    for (const uri of filter.resourceSubscriptions ?? []) {
      await runtime.handler.unsubscribe?.(uri, call.context)
    }
    return { _meta: { [META_KEYS.subscriptionId]: call.requestId } }
  },
}

function changeSubscriptions(
  connection: ConnectionPort,
  change: (uris: readonly string[]) => readonly string[],
): void {
  const { state } = connection
  if (state === undefined) throw invalidParams('subscriptions need an initialized client')
  connection.setState({ ...state, subscriptions: change(state.subscriptions) })
}

function readFilter(call: Call): SubscriptionFilter {
  const { notifications } = call.params
  if (!isJsonObject(notifications)) throw invalidParams('notifications must be an object')
  const { resourceSubscriptions = [], taskIds = [] } = notifications
  if (!isStringList(resourceSubscriptions)) {
    throw invalidParams('notifications.resourceSubscriptions must be a list of URIs')
  }
  if (!isStringList(taskIds)) throw invalidParams('notifications.taskIds must be a list of ids')
  return { ...notifications, resourceSubscriptions, taskIds }
}

/** The part of a filter that the server supports, which the acknowledgement tells the client. */
async function toSupportedFilter(
  runtime: ServerRuntime,
  call: Call,
  asked: SubscriptionFilter,
): Promise<SubscriptionFilter> {
  const { tools, prompts, resources } = runtime.capabilities()
  const uris = resources === undefined ? [] : [...new Set(asked.resourceSubscriptions)]
  const ids = [...new Set(asked.taskIds)]
  checkRoom(uris.length + ids.length, runtime)
  const watched: string[] = []
  for (const uri of uris) if (await isWatchable(runtime, call, uri)) watched.push(uri)
  const taskIds: string[] = []
  for (const id of ids) if (await runtime.tasks?.has(id, call.owner)) taskIds.push(id)
  return {
    ...(tools && asked.toolsListChanged === true && { toolsListChanged: true }),
    ...(prompts && asked.promptsListChanged === true && { promptsListChanged: true }),
    ...(resources && asked.resourcesListChanged === true && { resourcesListChanged: true }),
    ...(watched.length > 0 && { resourceSubscriptions: watched }),
    ...(taskIds.length > 0 && { taskIds }),
  }
}

async function isWatchable(runtime: ServerRuntime, call: Call, uri: string): Promise<boolean> {
  try {
    await runtime.handler.subscribe?.(uri, call.context)
    return true
  } catch {
    return false
  }
}

function checkRoom(count: number, runtime: ServerRuntime): void {
  const { subscriptions } = runtime.limits
  if (count > subscriptions) throw invalidParams(`no more than ${subscriptions} subscriptions`)
}

function isStringList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
