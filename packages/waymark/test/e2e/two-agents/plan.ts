/** A small project: what has to be done, by which kind of agent, and what has to be done before. */
export const PLAN = [
  { key: 'schema', title: 'Write the schema', labels: ['build'], depends_on: [] },
  { key: 'store', title: 'Write the store', labels: ['build'], depends_on: ['schema'] },
  { key: 'outline', title: 'Outline the manual', labels: ['write'], depends_on: [] },
  { key: 'api', title: 'Write and describe the API', labels: ['build'], depends_on: ['store'] },
  { key: 'tests', title: 'Test the store', labels: ['build'], depends_on: ['store'] },
  { key: 'manual', title: 'Write the manual', labels: ['write'], depends_on: ['outline', 'api'] },
  { key: 'release', title: 'Release it', labels: ['build'], depends_on: ['manual', 'tests'] },
] as const

/** Begun by the builder, who hands it over half done. */
export const HANDED_OVER = 'api'
/** In the middle of this one the writer is killed. */
export const DEADLY = 'manual'

/** What an agent says on its standard output, one JSON object on each line. */
export interface Told {
  readonly what: 'claimed' | 'handed_over' | 'took_over' | 'done'
  readonly key: string
  readonly fence: number
  /** Id of the agent. */
  readonly agent: string
  /** What the one before has left. */
  readonly note?: string
}
