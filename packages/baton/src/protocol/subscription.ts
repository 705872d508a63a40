/** The notifications that a client requests on a `subscriptions/listen` stream. */
export interface SubscriptionFilter {
  readonly toolsListChanged?: boolean
  readonly promptsListChanged?: boolean
  readonly resourcesListChanged?: boolean
  readonly resourceSubscriptions?: readonly string[]
  readonly taskIds?: readonly string[]
}
