import { execute } from '../../packages/waymark/src/core/execute.ts'
import { checkStore } from '../../packages/waymark/src/integrity/operations.ts'
import { openProject, type OpenProject } from '../../packages/waymark/src/core/project/project.ts'
import { findDamage } from '../../packages/waymark/src/core/sqlite/inspect.ts'
import { Connection } from '@waymark/sqlite'
import { databasePath } from '../../packages/waymark/src/core/store/state-folder.ts'
import type { Findings, Proof, Trial } from '../proof.ts'
import { contextOf } from '../system/agent.ts'
import { buildProgram, Program } from '../system/program.ts'
import { createRandom } from '../../packages/baton/test/support/random.ts'
import { createProject } from '../system/repository.ts'
import {
  type Acknowledgement,
  countKinds,
  findLost,
  git,
  isAcknowledgement,
  type Refusal,
} from './acknowledgement.ts'
import type { DurabilityFault } from './faults.ts'
import type { WriterAssignment } from './writer.program.ts'

const KILLS = { short: 4, full: 60 }
/** A planted mistake shows soon; one that is planted afterwards needs nothing but writes. */
const KILLS_WITH_FAULT: Readonly<Record<string, number>> = {
  answer_before_commit: 3,
  breaks_down: 1,
  event_left_out: 1,
}
const WRITERS = 4
const MOST_ANSWERS = { short: 40, full: 120 }

/** Four processes write everything there is to write, and all are killed at a moment of chance, again and again. */
export const kills: Proof = {
  id: 'kills',
  promise: 'What was acknowledged is there after kill -9',
  unit: 'acknowledged writes',
  goal: 10_000,
  faults: ['answer_before_commit', 'breaks_down', 'event_left_out'],
  run: tryKills,
}

async function tryKills({ seed, level, fault }: Trial): Promise<Findings> {
  using project = await createProject()
  const script = await buildProgram(new URL('writer.program.ts', import.meta.url))
  const random = createRandom(seed)
  const kills = KILLS_WITH_FAULT[fault ?? ''] ?? KILLS[level]
  const acknowledged: Acknowledgement[] = []
  const crashes: string[] = []
  for (let kill = 0; kill < kills; kill += 1) {
    const writers = Array.from({ length: WRITERS }, (_, at) => {
      const assignment: WriterAssignment = {
        directory: project.path,
        name: `writer ${kill}.${at}`,
        seed: random.below(2 ** 31),
        writes: 1_000_000,
        notes: true,
        fault: fault === 'event_left_out' ? undefined : (fault as DurabilityFault | undefined),
      }
      return new Program(script, assignment)
    })
    await writers[0]?.untilReports(1 + random.below(MOST_ANSWERS[level]))
    const ends = await Promise.all(writers.map((writer) => writer.kill()))
    crashes.push(...ends.filter((end) => end !== undefined))
    for (const writer of writers) {
      acknowledged.push(...writer.reports<Acknowledgement | Refusal>().filter(isAcknowledgement))
    }
  }
  await using open = await openProject(project.path)
  const lost = await findLost(open.store, acknowledged, {
    state: open.state,
    directory: project.path,
  })
  git(project.path, 'fsck', '--strict', '--no-dangling')
  if (fault === 'event_left_out') leaveOutEvent(open.state)
  const damaged = [...(await findDamage(open.state)), ...(await findUnsound(open))]
  return {
    tried: acknowledged.length,
    violations: { lost: lost.length, damaged: damaged.length, crashed: crashes.length },
    counts: {
      kills,
      processes_killed: kills * WRITERS - crashes.length,
      ...countKinds(acknowledged),
    },
    example: (lost[0] && `lost: ${JSON.stringify(lost[0])}`) ?? damaged[0] ?? crashes[0],
  }
}

/** What does not fit together: documents, rows, edges, indexes, counters, contents, or a gap in the order of events. */
async function findUnsound(project: OpenProject): Promise<string[]> {
  const { checks } = await execute(contextOf(project, 'doctor'), checkStore, {})
  return checks
    .filter(({ status }) => status === 'failed')
    .map(({ name, message }) => `${name}: ${message}`)
}

/** What is left when a change and what is told of it are not written together. */
function leaveOutEvent(state: string): void {
  const connection = new Connection(databasePath(state), 'write')
  connection.exec('DELETE FROM event WHERE id = (SELECT max(id) / 2 FROM event)')
  connection.close()
}
