// Follows the stream of events by its cursor until the end is announced, and says what it has seen.
import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { execute } from '../../packages/waymark/src/core/execute.ts'
import { listEvents } from '../../packages/waymark/src/event/operations.ts'
import { openProject } from '../../packages/waymark/src/core/project/project.ts'
import { contextOf } from '../system/agent.ts'
import { toEntityId } from '../../packages/waymark/src/entity/entity-id.ts'

export interface ReaderAssignment {
  readonly directory: string
  /** Id of the entity whose creation is the last event. */
  readonly lastSubject: string
  readonly fault?: string | undefined
}

const { directory, lastSubject, fault } = JSON.parse(process.argv[2] ?? '') as ReaderAssignment
await using project = await openProject(directory)
const context = contextOf(project, 'reader')
const seen: number[] = []
for (let cursor = 0, isOver = false; !isOver;) {
  const { events } = await execute(context, listEvents, { since: cursor, limit: 50 })
  seen.push(...events.map(({ id }) => id))
  isOver = JSON.stringify(events).includes(lastSubject)
  cursor = seen.at(-1) ?? 0
  // The mistake of those who ask what is newest after they have read: what came in between is never seen.
  if (fault === 'cursor_from_the_newest') {
    const latest = await context.store.events.latest()
    isOver ||= (await context.store.entities.byId(toEntityId(lastSubject))) !== undefined
    cursor = latest
  }
  if (events.length === 0) await sleep(2)
}
writeSync(1, `${JSON.stringify({ seen })}\n`)
