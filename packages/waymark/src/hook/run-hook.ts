import * as z from 'zod'
import type { Context } from '../core/context.ts'
import { dismissHooks } from './kinds.ts'
import { CODE_HOOKS } from './scripts.ts'
import { defineOperation } from '../core/operation.ts'
import { type Block, joined, line } from '../core/show.ts'
import { annotateCode } from '../annotation/write/annotate.ts'
import { type Carry, carryOver } from '../annotation/rewrite/carry-over.ts'
import {
  findSources,
  forgetSources,
  type MadeCommit,
  noticeSources,
} from '../annotation/write/commit-sources.ts'
import { type Code, openAnnotatedCode } from '../annotation/write/open-code.ts'
import { readPending, unmarkPending } from '../annotation/write/pending.ts'
import { actionOf, isReplay } from '../annotation/rewrite/replay.ts'
import { toCommitId } from '../git/history/commit-id.ts'

const hookRun = z.object({
  annotated: z
    .boolean()
    .describe('Whether pending text was written to the annotation of the commit'),
  carried: z.int().describe('Number of copied annotations'),
})
type HookRun = z.output<typeof hookRun>

export const runHook = defineOperation({
  name: 'code.hook',
  summary: 'Run by the Git hooks: write and copy annotations',
  example: 'post-commit',
  effect: 'write',
  input: z.object({
    event: z.enum(CODE_HOOKS).describe('Which hook'),
    kind: z.string().max(50).optional().describe('What git passes: amend or rebase'),
    content: z.string().max(10_000_000).optional().describe('What git passes on standard input'),
  }),
  output: hookRun,
  positional: ['event', 'kind'],
  async run(context, { event, kind, content }) {
    const code = await openAnnotatedCode(context)
    switch (event) {
      case 'prepare-commit-msg':
        await noticeSources(context, code)
        return { annotated: false, carried: 0 }
      case 'post-commit': {
        const run = await afterCommit(context, code)
        await dismissHooks(code.repository.root).catch(() => undefined)
        return run
      }
      case 'post-rewrite': {
        const carries = rewritesIn(content ?? '', kind)
        return { annotated: false, carried: (await carryOver(context, code, carries)).length }
      }
    }
  },
  show: showHookRun,
})

async function afterCommit(context: Context, code: Code): Promise<HookRun> {
  const { head: commit, repository } = code
  if (commit === undefined) return { annotated: false, carried: 0 }
  const action = await actionOf(repository, commit)
  const sources = await findSources(context, code, { commit, action })
  // The sources of the commit are known only now, so copy their annotations even if annotating fails.
  const [said] = await Promise.allSettled([annotateAsSaid(context, code, { commit, action })])
  const [carried] = await Promise.allSettled([carryOver(context, code, sources.carries)])
  if (carried.status === 'fulfilled') await forgetSources(context, code, sources)
  if (said.status === 'rejected') throw said.reason
  if (carried.status === 'rejected') throw carried.reason
  return { annotated: said.value, carried: carried.value.length }
}

/** Writes the pending text into the annotation of the commit; false if there is none, or the commit is a replay. */
async function annotateAsSaid(
  context: Context,
  code: Code,
  { commit, action }: MadeCommit,
): Promise<boolean> {
  const { isEmpty } = await readPending(context, code)
  const { gitDir } = code.repository.layout()
  if (isEmpty) await unmarkPending(gitDir)
  if (isEmpty || (await isReplay(code.repository, commit, action))) return false
  await annotateCode.run(context, annotateCode.input.parse({ auto: true }))
  if ((await readPending(context, code)).isEmpty) await unmarkPending(gitDir)
  return true
}

/** Parses `old new` on each line. Several old commits with the same new one are a squash. */
function rewritesIn(content: string, kind: string | undefined): readonly Carry[] {
  const pairs = content.split('\n').flatMap((line) => {
    const [from = '', to = ''] = line.trim().split(/\s+/)
    return /^[0-9a-f]{40,64}$/.test(from) && /^[0-9a-f]{40,64}$/.test(to)
      ? [{ from: toCommitId(from), to: toCommitId(to) }]
      : []
  })
  return pairs.map(({ from, to }) => {
    const isSquash = pairs.filter((pair) => pair.to === to).length > 1
    return { from, to, operation: isSquash ? 'squash' : kind === 'rebase' ? 'rebase' : 'amend' }
  })
}

function showHookRun({ annotated, carried }: HookRun): readonly Block[] {
  const told = joined([
    annotated ? line`annotated` : undefined,
    carried === 0 ? undefined : line`${carried} annotations copied`,
  ])
  return told.length === 0 ? [] : [told]
}
