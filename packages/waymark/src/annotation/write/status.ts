import * as z from 'zod'
import { subjectOf } from '../../git/history/commits.ts'
import { findHooks, removedHooks } from '../../hook/kinds.ts'
import { defineOperation } from '../../core/operation.ts'
import { type Block, counted, joined, line, own, paragraphs, section } from '../../core/show.ts'
import { shortCommit, showNotes, showUnreadable } from '../show.ts'
import { openAnnotatedCode } from './open-code.ts'
import { readPending } from './pending.ts'
import { filled } from '../region/region-view.ts'
import { toCommitIds } from '../../git/history/commit-id.ts'

const statusView = z.object({
  $schema: z.literal('waymark-status/v1'),
  note_ref: z.string().describe('Where annotations are written'),
  read_refs: z.array(z.string()),
  total_annotations: z.int(),
  annotated_commits: z.int(),
  unreadable: z.int().describe('Lines of notes that could not be read'),
  recent_commits: z.int(),
  recent_annotated: z.int(),
  coverage_pct: z.number(),
  unannotated_commits: z.array(z.object({ commit: z.string(), subject: z.string() })),
  hooks: z.array(z.object({ hook: z.string(), state: z.string() })),
  pending: z.boolean().describe('Whether there is pending text for the next commit'),
  notes: z.array(z.string()).optional().describe('What to know about these figures'),
})
type StatusView = z.output<typeof statusView>

export const annotationStatus = defineOperation({
  name: 'code.status',
  summary: 'Show how much is annotated, where annotations are stored, and what is missing',
  example: '',
  effect: 'read',
  input: z.object({
    commits: z.int().min(1).max(1_000).default(20).describe('How many recent commits to look at'),
  }),
  output: statusView,
  async run(context, { commits: wanted }) {
    const code = await openAnnotatedCode(context)
    const { repository, settings, head } = code
    const counts = await code.annotations.counts(settings.readRefs)
    const listed =
      head === undefined
        ? ''
        : await repository.ask(['rev-list', '--no-merges', `--max-count=${wanted}`, head.id])
    const recent = toCommitIds(listed)
    const rows = await code.annotations.ofCommits(settings.readRefs, recent)
    const annotated = new Set(rows.map(({ commit }) => commit))
    const bare = recent.filter((id) => !annotated.has(id))
    const commits = await repository.commits.getAll(bare)
    const share = recent.length === 0 ? 0 : annotated.size / recent.length
    return {
      $schema: 'waymark-status/v1' as const,
      note_ref: settings.noteRef,
      read_refs: [...settings.readRefs],
      total_annotations: counts.records,
      annotated_commits: counts.commits,
      unreadable: counts.unreadable,
      recent_commits: recent.length,
      recent_annotated: annotated.size,
      coverage_pct: Math.round(share * 1000) / 10,
      unannotated_commits: commits.map((each) => ({ commit: each.id, subject: subjectOf(each) })),
      hooks: (await findHooks(repository.root, 'code').catch(() => [])).map(({ hook, state }) => ({
        hook,
        state,
      })),
      pending: !(await readPending(context, code)).isEmpty,
      ...filled('notes', [...code.notices, ...(await aboutHooks(repository.root))]),
    }
  },
  show: showStatus,
})

async function aboutHooks(root: string): Promise<readonly string[]> {
  const removed = await removedHooks(root).catch(() => [])
  if (removed.length === 0) return []
  return [
    `Another tool has removed our hooks (${removed.join(', ')}): run \`waymark code hooks-install\` again.`,
  ]
}

function showStatus(view: StatusView): readonly Block[] {
  const { total_annotations: total, annotated_commits: commits, note_ref: ref } = view
  const { recent_annotated: annotated, recent_commits: recent, coverage_pct: share } = view
  const hooks = view.hooks.map(({ hook, state }) => line`${hook} ${state.replace('_', ' ')}`)
  const bare = view.unannotated_commits.map(
    ({ commit, subject }) => line`- ${shortCommit(commit)} ${subject}`,
  )
  return paragraphs([
    showNotes(view.notes),
    [line`${own(counted(total, 'annotation'))} of ${own(counted(commits, 'commit'))} in ${ref}`],
    [line`${annotated} of the last ${own(counted(recent, 'commit'))} annotated (${share} %)`],
    [line`hooks: ${joined(hooks)}`],
    showUnreadable(view.unreadable),
    section('Not annotated', bare),
  ])
}
