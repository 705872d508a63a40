import type { MessageDot, Span } from '../../draw/span.ts'

/** What a saved replay has inside. */
export interface ReplayData {
  readonly project: string
  readonly spans: readonly Span[]
  readonly messages: readonly MessageDot[]
}

/** Where the data is put into the file of the player. */
export const DATA_ID = 'replay-data'
