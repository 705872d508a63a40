import * as z from 'zod'
import { Failure } from '../core/error.ts'
import { defineOperation } from '../core/operation.ts'
import { parseLine } from '../sync/log/log-line.ts'
import { loadLoro } from '../sync/document/loro.ts'
import { toOutgoing } from '../sync/log/outgoing.ts'
import { initialiseStore, openStore } from '../core/store/open.ts'
import { locateProject, locateWorktreeStores } from '../core/project/locate-project.ts'
import {
  flushLocalChanges,
  emptyMergeReport,
  withoutIdempotencyKey,
  applyLines,
} from '../sync/merge/merge.ts'
import { takenView, toMergeCounts, toMergeRemarks } from '../sync/merge-report.ts'
import { showTaken } from '../sync/show.ts'

const BATCH_SIZE = 500

export const promoteStore = defineOperation({
  name: 'store.promote',
  summary: 'Add what this worktree knows alone to the store that all worktrees share',
  example: '',
  effect: 'write',
  input: z.object({}),
  output: takenView,
  async run(context) {
    const { root } = context.project ?? { root: '.' }
    const stores = locateWorktreeStores(root)
    if (stores === undefined || locateProject(root)?.stateDir !== stores.own) throw notIsolated()
    const loro = loadLoro()
    await flushLocalChanges(context, loro)
    const newProject = { projectId: context.newId(), now: context.now() }
    await initialiseStore(stores.shared, newProject)
    await using shared = await openStore(stores.shared)
    const target = { ...withoutIdempotencyKey(context), store: shared }
    const incoming = emptyMergeReport()
    for (let last = ''; ;) {
      const page = await context.store.replica.documents(last, BATCH_SIZE)
      if (page.length === 0) break
      const lines = page
        .flatMap((stored) => toOutgoing(loro, stored, { sinceStart: true }).lines)
        .flatMap((line) => parseLine(line) ?? [])
      const given = {
        lines,
        isLogged: false,
        received: { via: 'import' },
        acceptsPurges: true,
      } as const
      await applyLines(target, loro, given, incoming)
      last = page.at(-1)?.entityId ?? last
    }
    return {
      ...toMergeCounts(incoming),
      ...(await toMergeRemarks(target, incoming)),
      left_alone: [...new Set(incoming.leftAlone)],
    }
  },
  show: showTaken,
})

function notIsolated(): Failure {
  return new Failure(
    'conflict',
    'this worktree has no store of its own: everything is shared already',
    {
      details: { reason: 'not_isolated' },
    },
  )
}
