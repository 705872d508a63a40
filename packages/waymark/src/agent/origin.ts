import { firstCharacters } from '../support/text/visible-text.ts'
import type { AgentId } from './agent.ts'

/** Provenance of a text. For a synced text it is the sender's claim. */
export interface Origin {
  /** Through which surface: cli, mcp, http, api. */
  readonly via?: string
  /** Id of the agent that wrote it. */
  readonly agent?: AgentId
  readonly model?: string
  /** The writer was authenticated. */
  readonly proved?: true
  /** The tool that it was imported from. */
  readonly imported?: string
  /** Who wrote it, as that tool says. Nothing proves it. */
  readonly author?: string
}

const LONGEST = 100

/** Parses an origin from another clone; malformed fields are dropped. */
export function parseOrigin(text: unknown): Origin | null {
  if (typeof text !== 'string') return null
  try {
    const given = JSON.parse(text) as Readonly<Record<string, unknown>> | null
    const facts = ['via', 'agent', 'model', 'imported', 'author'].flatMap((name) => {
      const value = given?.[name]
      return typeof value === 'string' ? [[name, firstCharacters(value, LONGEST)]] : []
    })
    const proved = given?.['proved'] === true ? { proved: true as const } : {}
    const origin: Origin = { ...Object.fromEntries(facts), ...proved }
    return Object.keys(origin).length === 0 ? null : origin
  } catch {
    return null
  }
}
