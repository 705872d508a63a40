import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { Context } from '../../context.ts'
import { kindOf } from '../../files/git-dirs.ts'
import {
  annotationHooks,
  HOOK_NAMES,
  installAnnotationHooks,
  uninstallAnnotationHooks,
} from '../../git/annotation-hooks.ts'
import { defineOperation } from '../../operation.ts'
import { change } from '../change.ts'
import { annotateCode } from './annotate.ts'
import { type Carry, carryOver } from './carry-over.ts'
import { type Code, openAnnotatedCode, openCode } from './open-code.ts'
import { readPending } from './pending.ts'

const hooksView = z.object({
  hooks: z.array(
    z.object({
      hook: z.string(),
      state: z
        .enum(['installed', 'not_installed', 'foreign'])
        .describe('foreign: a program of another kind; call `waymark code hook` from it'),
    }),
  ),
})

export const installHooks = defineOperation({
  name: 'code.hooks_install',
  summary: 'Let commits, amends, rebases and squashes take their annotations along',
  effect: 'write',
  input: z.object({}),
  output: hooksView,
  async run(context) {
    const { repository } = await openCode(context)
    return { hooks: [...(await installAnnotationHooks(repository.root))] }
  },
})

export const uninstallHooks = defineOperation({
  name: 'code.hooks_uninstall',
  summary: 'Take our lines out of the Git hooks; everything else in them stays as it is',
  effect: 'write',
  input: z.object({}),
  output: hooksView,
  async run(context) {
    const { repository } = await openCode(context)
    return { hooks: [...(await uninstallAnnotationHooks(repository.root))] }
  },
})

export const showHooks = defineOperation({
  name: 'code.hooks',
  summary: 'Say which Git hooks take annotations along',
  effect: 'read',
  input: z.object({}),
  output: hooksView,
  async run(context) {
    const { repository } = await openCode(context)
    return { hooks: [...(await annotationHooks(repository.root))] }
  },
})

export const runHook = defineOperation({
  name: 'code.hook',
  summary: 'What a Git hook does for annotations; called by the hooks themselves',
  effect: 'write',
  input: z.object({
    event: z.enum(HOOK_NAMES).describe('Which hook'),
    kind: z.string().max(50).optional().describe('What git passes: amend or rebase'),
    content: z.string().max(10_000_000).optional().describe('What git passes on standard input'),
  }),
  output: z.object({
    annotated: z.boolean().describe('What was said before the commit is now in its annotation'),
    carried: z.int().describe('Annotations that were taken along'),
  }),
  positional: ['event', 'kind'],
  async run(context, { event, kind, content }) {
    const code = await openAnnotatedCode(context)
    switch (event) {
      case 'prepare-commit-msg':
        await noticeSquash(context, code)
        return { annotated: false, carried: 0 }
      case 'post-commit':
        return await afterCommit(context, code)
      case 'post-rewrite': {
        const carries = rewritesIn(content ?? '', kind)
        return { annotated: false, carried: (await carryOver(context, code, carries)).length }
      }
    }
  },
})

/** `git merge --squash` leaves a file that names what it squashes, and that is gone once the commit is made. */
async function noticeSquash(context: Context, { repository, head }: Code): Promise<void> {
  const { gitDir } = repository.layout()
  const message = await readFile(join(gitDir, 'SQUASH_MSG'), 'utf8').catch(() => '')
  const sources = [...message.matchAll(/^commit ([0-9a-f]{40,64})$/gm)].map(([, id]) => id)
  if (sources.length === 0 || head === undefined) return
  await change(context, async (change) => {
    await change.pendingNotes.insert({
      worktree: gitDir,
      kind: 'squash',
      content: { sources, head: head.id },
      at: change.stamp.at,
      author: context.agent.name,
    })
  })
}

const squash = z.object({ sources: z.array(z.string()), head: z.string() })

async function afterCommit(
  context: Context,
  code: Code,
): Promise<{ annotated: boolean; carried: number }> {
  const { head, repository } = code
  if (head === undefined) return { annotated: false, carried: 0 }
  const { gitDir } = repository.layout()
  const noticed = (await context.store.pendingNotes.of(gitDir)).filter(
    ({ kind }) => kind === 'squash',
  )
  const squashed = noticed
    .map(({ content }) => squash.parse(content))
    // A squash that was given up must not give its sources to whatever is committed next.
    .filter((each) => head.parents.includes(each.head))
    .flatMap(({ sources }) =>
      sources.map((from): Carry => ({ from, to: head.id, operation: 'squash' })),
    )
  const picked = await pickedFrom(code, gitDir)
  const carried = await carryOver(context, code, [...squashed, ...picked])
  if (noticed.length > 0) {
    await change(context, (change) => change.pendingNotes.remove(noticed.map(({ id }) => id)))
  }
  const isEmpty = isReplay(gitDir) || (await readPending(context, code)).isEmpty
  if (!isEmpty) await annotateCode.run(context, annotateCode.input.parse({ auto: true }))
  return { annotated: !isEmpty, carried: carried.length }
}

/** There while git makes commits out of commits that were made before. */
const REPLAYS = ['rebase-merge', 'rebase-apply', 'sequencer', 'CHERRY_PICK_HEAD', 'REVERT_HEAD']

/** Git runs the hook for each of those too, but what was said for the next commit is about one that is yet to come. */
function isReplay(gitDir: string): boolean {
  return REPLAYS.some((name) => kindOf(join(gitDir, name)) !== undefined)
}

/** While a cherry-pick runs, git keeps the name of what is picked. */
async function pickedFrom({ head }: Code, gitDir: string): Promise<readonly Carry[]> {
  const text = await readFile(join(gitDir, 'CHERRY_PICK_HEAD'), 'utf8').catch(() => '')
  const named = /\(cherry picked from commit ([0-9a-f]{40,64})\)/.exec(head?.message ?? '')?.[1]
  const from = /^[0-9a-f]{40,64}$/.exec(text.trim())?.[0] ?? named
  if (from === undefined || head === undefined) return []
  return [{ from, to: head.id, operation: 'cherry_pick' }]
}

/** `old new` on each line. Several commits that became one were squashed. */
function rewritesIn(content: string, kind: string | undefined): readonly Carry[] {
  const pairs = content.split('\n').flatMap((line) => {
    const [from = '', to = ''] = line.trim().split(/\s+/)
    return /^[0-9a-f]{40,64}$/.test(from) && /^[0-9a-f]{40,64}$/.test(to) ? [{ from, to }] : []
  })
  return pairs.map(({ from, to }) => {
    const isSquash = pairs.filter((pair) => pair.to === to).length > 1
    return { from, to, operation: isSquash ? 'squash' : kind === 'rebase' ? 'rebase' : 'amend' }
  })
}
