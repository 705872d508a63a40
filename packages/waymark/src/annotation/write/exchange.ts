import * as z from 'zod'
import { addToNoteBody, foldById, parseNoteBody } from '../notes/note-body.ts'
import { type RecordDocument, toRecord } from '../record.ts'
import { toNotesRef } from '../../git/annotation-settings.ts'
import { listNotes, readBlobs, unreadableNote } from '../notes/read-notes.ts'
import { refTip } from '../../git/refs/ref-tip.ts'
import type { NoteEdit } from '../notes/write-notes.ts'
import { defineOperation } from '../../core/operation.ts'
import { body, oneLine } from '../../core/input/schema.ts'
import { type Block, joined, line, raw } from '../../core/show.ts'
import { toVisibleJson } from '../../support/text/visible-text.ts'
import { change, uncancellable } from '../../core/change.ts'
import { type Code, openAnnotatedCode, openCode } from './open-code.ts'
import { takeOverNotes } from '../merge/take-over-notes.ts'
import { assertNotLost, writeNotes } from './write-annotations.ts'
import { type CommitId, toCommitId } from '../../git/history/commit-id.ts'

const exported = z.object({
  commit_sha: z.string(),
  timestamp: z.string(),
  annotation: z.record(z.string(), z.unknown()),
})

export const exportAnnotations = defineOperation({
  name: 'code.export',
  summary: 'Export all annotations, one JSON object for each',
  example: '--limit 100',
  effect: 'read',
  input: z.object({
    limit: z.int().min(1).max(100_000).default(10_000).describe('How many commits at most'),
    cursor: oneLine({ max: 64 }).optional().describe('Go on behind this commit'),
  }),
  output: z.object({
    $schema: z.literal('waymark-export/v1'),
    annotations: z.array(exported),
    left_out: z
      .array(z.string())
      .optional()
      .describe(
        'Commits whose notes exceed a bound and are not read; they are in Git all the same',
      ),
    next_cursor: z.string().optional(),
  }),
  async run(context, { limit, cursor = '' }) {
    const { repository, settings } = await openCode(context)
    const notes = new Map<CommitId, string[]>()
    for (const ref of settings.readRefs) {
      await assertNotLost(context, repository, { ref })
      const tip = await refTip(repository, ref)
      const listed = tip === undefined ? [] : await listNotes(repository, { ref, tip })
      for (const [commit, blobs] of listed) {
        notes.set(commit, [...(notes.get(commit) ?? []), blobs])
      }
    }
    const wanted = [...notes]
      .filter(([commit]) => commit > cursor)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
    const annotations = []
    const leftOut: string[] = []
    for (const [commit, blobs] of wanted.slice(0, limit)) {
      const bodies = await Promise.all(blobs.map((each) => readBlobs(repository, each)))
      const documents = bodies.flatMap((note) => {
        // An export is kept as a backup, so it is whole or says what it lacks.
        if (note === 'missing') throw unreadableNote(commit)
        if ('problem' in note) leftOut.push(commit)
        return 'problem' in note ? [] : parseNoteBody(note.body).documents
      })
      for (const document of foldById(documents)) {
        const { timestamp = '' } = toRecord(document) ?? {}
        annotations.push({ commit_sha: commit, timestamp, annotation: { ...document } })
      }
      context.signal.throwIfAborted()
    }
    const last = wanted[limit - 1]?.[0]
    return {
      $schema: 'waymark-export/v1' as const,
      annotations,
      ...(leftOut.length > 0 && { left_out: leftOut }),
      ...(wanted.length > limit && last !== undefined && { next_cursor: last }),
    }
  },
  show: ({ annotations }) => annotations.map((one) => raw(`${toVisibleJson(one)}\n`)),
})

const imported = z.object({
  commit_sha: z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/),
  annotation: z.record(z.string(), z.unknown()),
})

const importedView = z.object({
  imported: z.int(),
  already_there: z.int(),
  unknown_commits: z.int().describe('Left out, because this clone does not have their commits'),
  unreadable: z.int().describe('Lines that are no annotation'),
  dry_run: z.boolean(),
})
type ImportedView = z.output<typeof importedView>

export const importAnnotations = defineOperation({
  name: 'code.import',
  summary: 'Import exported annotations; existing ones are skipped',
  example: '--stdin --dry-run',
  effect: 'write',
  input: z.object({
    content: body({ max: 100_000_000 }).describe(
      'One JSON object on each line, as export writes them',
    ),
    dry_run: z.boolean().default(false).describe('Only count'),
    force: z.boolean().default(false).describe('Also for commits that this clone does not have'),
  }),
  output: importedView,
  async run(context, { content, dry_run, force }) {
    const code = await openAnnotatedCode(context)
    const { byCommit, unreadable } = parseImport(content)
    const known = await knownCommits(code, [...byCommit.keys()])
    const counts = { imported: 0, already_there: 0, unknown_commits: 0 }
    const edits = new Map<CommitId, NoteEdit>()
    for (const [commit, documents] of byCommit) {
      if (!force && !known.has(commit)) {
        counts.unknown_commits += 1
        continue
      }
      const there = await recordIdsOf(code, commit)
      const fresh = documents.filter((document) => !there.has(toRecord(document)?.id ?? ''))
      counts.imported += fresh.length
      counts.already_there += documents.length - fresh.length
      if (fresh.length > 0) edits.set(commit, (text) => addToNoteBody(text, fresh))
    }
    context.signal.throwIfAborted()
    if (!dry_run && edits.size > 0) {
      await writeNotes(context, code, { edits, message: 'Import annotations' })
    }
    return await change(uncancellable(context), async (change) => {
      if (!dry_run) await change.announce('annotation.imported', code.settings.noteRef, counts)
      return { ...counts, unreadable, dry_run }
    })
  },
  show: showImported,
})

function showImported(view: ImportedView): readonly Block[] {
  const { imported, already_there, unknown_commits, unreadable, dry_run } = view
  const done = dry_run ? line`would be imported` : line`imported`
  const counts = [
    line`${imported} ${done}`,
    line`${already_there} there already`,
    line`${unknown_commits} of commits that this clone does not have`,
    line`${unreadable} unreadable`,
  ]
  return [joined(counts)]
}

export const mergeAnnotations = defineOperation({
  name: 'code.merge',
  summary: 'Merge the annotations of another notes ref, such as a fetched one',
  example: 'refs/notes/theirs',
  effect: 'write',
  input: z.object({
    from: oneLine({ max: 500 })
      .optional()
      .describe('Notes ref to take over; all of refs/notes/remotes with the same name when absent'),
  }),
  output: z.object({
    merged: z.array(z.object({ ref: z.string(), changed: z.int() })),
  }),
  positional: ['from'],
  async run(context, { from }) {
    const code = await openCode(context)
    const { repository, settings } = code
    const pairs =
      from === undefined
        ? await remotePairs(code)
        : [{ ref: settings.noteRef, from: toNotesRef(from) }]
    const merged: { ref: string; changed: number }[] = []
    for (const pair of pairs) {
      const { changed } = await takeOverNotes(context, repository, pair)
      merged.push({ ref: pair.from, changed })
    }
    return await change(uncancellable(context), async (change) => {
      const refs = merged.map(({ ref }) => ref)
      await change.announce('annotation.merged', settings.noteRef, { refs })
      return { merged }
    })
  },
  show: ({ merged }) =>
    merged.length === 0
      ? [line`nothing to merge`]
      : merged.map(({ ref, changed }) => line`${ref}: ${changed} changed`),
})

interface Import {
  readonly byCommit: ReadonlyMap<CommitId, readonly RecordDocument[]>
  readonly unreadable: number
}

function parseImport(content: string): Import {
  const byCommit = new Map<CommitId, RecordDocument[]>()
  const { documents, unreadable } = parseNoteBody(content, Number.POSITIVE_INFINITY)
  let refused = unreadable.length
  for (const document of documents) {
    const entry = imported.safeParse(document)
    if (!entry.success || toRecord(entry.data.annotation) === undefined) {
      refused += 1
      continue
    }
    const { commit_sha, annotation } = entry.data
    const commit = toCommitId(commit_sha)
    byCommit.set(commit, [...(byCommit.get(commit) ?? []), annotation])
  }
  return { byCommit, unreadable: refused }
}

async function knownCommits(
  { repository }: Code,
  commits: readonly CommitId[],
): Promise<ReadonlySet<CommitId>> {
  const infos = await repository.objects.infos(commits)
  return new Set(commits.filter((_, at) => infos[at]?.type === 'commit'))
}

async function recordIdsOf(
  { settings, annotations }: Code,
  commit: CommitId,
): Promise<ReadonlySet<string>> {
  const rows = await annotations.ofCommits(settings.readRefs, [commit])
  return new Set(rows.map(({ record }) => record.id))
}

/** `refs/notes/remotes/<remote>/<name>`: where fetched notes belong, so that fetching never overwrites ours. */
async function remotePairs({
  repository,
  settings,
}: Code): Promise<readonly { readonly ref: string; readonly from: string }[]> {
  const listed = await repository.ask(['for-each-ref', '--format=%(refname)', 'refs/notes/remotes'])
  const fetched = listed.split('\n')
  return settings.readRefs.flatMap((ref) => {
    const name = ref.replace(/^refs\/notes\//, '')
    return fetched.filter((from) => from.endsWith(`/${name}`)).map((from) => ({ ref, from }))
  })
}
