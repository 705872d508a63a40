import type { LogLevel } from '../protocol/logging.ts'
import type { SubscriptionFilter } from '../protocol/subscription.ts'
import type { DetailedTask } from '../protocol/task.ts'

/** Something that clients may want to be told about. */
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

/** Tells clients what has changed; each hears only of what it asked for. */
export interface ServerNotifier {
  /** The contents of a resource are different now. */
  resourceUpdated(uri: string): void
  /**
   * The contents of every resource that `isUpdated` says yes to are different now. It is asked for what clients watch, so
   * that nobody has to keep count of that; clients of an earlier process that come back watch what they watched before.
   */
  resourcesUpdated(isUpdated: (uri: string) => boolean): void
  /** The list of tools is different now. */
  toolsChanged(): void
  /** The list of prompts is different now. */
  promptsChanged(): void
  /** The list of resources or resource templates is different now. */
  resourcesChanged(): void
  /** Something happened outside of any request; legacy clients hear of it if their level lets it through. */
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

/** The notification that spells a change. */
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

/** Tells whether a listen stream asked for this change, and may hear of it. */
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
      // The modern revision has log messages only for a request that asked for them.
      return false
  }
}
