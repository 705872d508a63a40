/** What a client wants to be told about on a `subscriptions/listen` stream. */
export interface SubscriptionFilter {
  readonly toolsListChanged?: boolean
  readonly promptsListChanged?: boolean
  readonly resourcesListChanged?: boolean
  readonly resourceSubscriptions?: readonly string[]
  readonly taskIds?: readonly string[]
}
