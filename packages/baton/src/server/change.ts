import type { SubscriptionFilter } from '../protocol/subscription.ts'

/** Something that clients may want to be told about. */
export type Change =
  | { readonly kind: 'tools' | 'prompts' | 'resources' }
  | { readonly kind: 'resource'; readonly uri: string }

/** Tells clients what has changed; each hears only of what it asked for. */
export interface ServerNotifier {
  /** The contents of a resource are different now. */
  resourceUpdated(uri: string): void
  /** The list of tools is different now. */
  toolsChanged(): void
  /** The list of prompts is different now. */
  promptsChanged(): void
  /** The list of resources or resource templates is different now. */
  resourcesChanged(): void
}

const NOTIFICATIONS = {
  tools: 'notifications/tools/list_changed',
  prompts: 'notifications/prompts/list_changed',
  resources: 'notifications/resources/list_changed',
  resource: 'notifications/resources/updated',
} as const satisfies Record<Change['kind'], string>

/** The notification that spells a change. */
export function toNotification(change: Change): { readonly method: string; readonly uri?: string } {
  const method = NOTIFICATIONS[change.kind]
  return change.kind === 'resource' ? { method, uri: change.uri } : { method }
}

/** Tells whether a listen stream asked for this change. */
export function isWanted(change: Change, filter: SubscriptionFilter): boolean {
  switch (change.kind) {
    case 'tools':
      return filter.toolsListChanged === true
    case 'prompts':
      return filter.promptsListChanged === true
    case 'resources':
      return filter.resourcesListChanged === true
    case 'resource':
      return filter.resourceSubscriptions?.includes(change.uri) === true
  }
}
