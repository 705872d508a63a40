/** How a text was written. Of one that arrived it is what its sender says. */
export interface Origin {
  /** Through which surface: cli, mcp, http, api. */
  readonly via?: string
  /** Id of the agent that wrote it. */
  readonly agent?: string
  readonly model?: string
  /** Whoever wrote it had proved who they are. */
  readonly proved?: true
  /** The tool that it was taken over from. */
  readonly imported?: string
}

const LONGEST = 100

/** What another clone says about an origin is read like everything from there: what has not its form is left out. */
export function parseOrigin(text: unknown): Origin | null {
  if (typeof text !== 'string') return null
  try {
    const given = JSON.parse(text) as Readonly<Record<string, unknown>> | null
    const facts = ['via', 'agent', 'model', 'imported'].flatMap((name) => {
      const value = given?.[name]
      return typeof value === 'string' ? [[name, value.slice(0, LONGEST)]] : []
    })
    const proved = given?.['proved'] === true ? { proved: true as const } : {}
    const origin: Origin = { ...Object.fromEntries(facts), ...proved }
    return Object.keys(origin).length === 0 ? null : origin
  } catch {
    return null
  }
}
