import type { LogLevel } from '../protocol/server-features/logging.ts'
import type { SubscriptionFilter } from '../protocol/subscription.ts'
import type { DetailedTask } from '../protocol/task.ts'

/** A change that clients may be notified of. */
export type Change =
  | { readonly kind: 'tools' | 'prompts' | 'resources' }
  | { readonly kind: 'resource'; readonly uri: string }
  | { readonly kind: 'task'; readonly task: DetailedTask; readonly owner: string }
  | { readonly kind: 'log'; readonly message: LogMessage }

/** A log message that belongs to no request. */
interface LogMessage {
  readonly level: LogLevel
  readonly data: unknown
  readonly logger?: string
}

/** Notifies clients of changes; each client gets only the notifications that it subscribed to. */
export interface ServerNotifier {
  /** The contents of a resource changed. */
  resourceUpdated(uri: string): void
  /**
   * The contents of every resource for which `isUpdated` returns true changed. It is called for each subscribed URI, so the
   * application need not track subscriptions, which may also come from sessions of an earlier process.
   */
  resourcesUpdated(isUpdated: (uri: string) => boolean): void
  /** The list of tools changed. */
  toolsChanged(): void
  /** The list of prompts changed. */
  promptsChanged(): void
  /** The list of resources or resource templates changed. */
  resourcesChanged(): void
  /** Sends a log message that belongs to no request to the legacy clients whose log level includes it. */
  log(level: LogLevel, data: unknown, logger?: string): void
}

const NOTIFICATIONS = {
  tools: 'notifications/tools/list_changed',
  prompts: 'notifications/prompts/list_changed',
  resources: 'notifications/resources/list_changed',
  resource: 'notifications/resources/updated',
  task: 'notifications/tasks',
  log: 'notifications/message',
} as const satisfies Record<Change['kind'], string>

/** The notification for a change. */
export function toNotification(change: Change): {
  readonly method: string
  readonly params: object
} {
  const method = NOTIFICATIONS[change.kind]
  switch (change.kind) {
    case 'resource':
      return { method, params: { uri: change.uri } }
    case 'task':
      return { method, params: change.task }
    case 'log':
      return { method, params: change.message }
    case 'tools':
    case 'prompts':
    case 'resources':
      return { method, params: {} }
  }
}

/** Whether a listen stream subscribed to this change, and its owner may see it. */
export function isWanted(change: Change, filter: SubscriptionFilter, owner: string): boolean {
  switch (change.kind) {
    case 'tools':
      return filter.toolsListChanged === true
    case 'prompts':
      return filter.promptsListChanged === true
    case 'resources':
      return filter.resourcesListChanged === true
    case 'resource':
      return filter.resourceSubscriptions?.includes(change.uri) === true
    case 'task':
      return change.owner === owner && filter.taskIds?.includes(change.task.taskId) === true
    case 'log':
      // The modern revision sends log messages only for requests that ask for them.
      return false
  }
}
