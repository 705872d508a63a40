import { sha256 } from '../../support/hash/sha256.ts'

/**
 * A name for a conversation that its host has an id for, from the host's name and that id. It is the same in every
 * process that the host starts for it, servers and hooks.
 */
export function conversationOf(host: string, id: string): string {
  return `H${sha256(`${host} ${id}`).slice(0, 32)}`
}

/** Whether a session is named that way; others have the name of a connection. */
export function isConversation(session: string): boolean {
  return /^H[0-9a-f]{32}$/.test(session)
}
