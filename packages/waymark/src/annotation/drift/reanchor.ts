import * as z from 'zod'
import { answeredBefore, change, idOfCall, uncancellable } from '../../core/change.ts'
import type { Context } from '../../core/context.ts'
import { Failure } from '../../core/error.ts'
import { defineOperation } from '../../core/operation.ts'
import { line } from '../../core/show.ts'
import type { Commit } from '../../git/history/commits.ts'
import type { CommitId } from '../../git/history/commit-id.ts'
import { addCorrection } from '../correction.ts'
import { FRESHNESS_STATES, type FreshnessState } from '../freshness.ts'
import { formatNoteBody, parseNoteBody } from '../notes/note-body.ts'
import type { NoteEdit } from '../notes/write-notes.ts'
import { sliceLines } from '../outline/lines.ts'
import {
  type AnnotationRecord,
  type Correction,
  type Region,
  toDocument,
  toRecord,
} from '../record.ts'
import type { FileView } from '../region/file-view.ts'
import type { LocatedRegion } from '../region/find-regions.ts'
import { lineRange } from '../region/region-view.ts'
import { place, shortCommit } from '../show.ts'
import { type Code, openAnnotatedCode } from '../write/open-code.ts'
import { placeRegion } from '../write/place-region.ts'
import type { RegionInput } from '../write/region-input.ts'
import { adding, writeNotes } from '../write/write-annotations.ts'
import { findReason, reasonInput } from './find-reason.ts'

export const reanchorReason = defineOperation({
  name: 'code.reanchor',
  summary: 'Say that a reason still holds for the code of today: it is anchored to the last commit',
  example: 'src/client.ts Client.connect',
  effect: 'write',
  input: z.object(reasonInput),
  output: z.object({
    record: z.string().describe('Id of the annotation that says it now'),
    replaced: z
      .string()
      .optional()
      .describe('Id of the annotation that said it before; absent where it fitted already'),
    commit: z.string(),
    file: z.string(),
    anchor: z.string().optional(),
    lines: lineRange.optional(),
    was: z.enum(FRESHNESS_STATES).describe('How it fitted before'),
  }),
  positional: ['path', 'anchor'],
  async run(context, input) {
    const earlier = await answeredBefore(context)
    if (earlier !== undefined) return earlier.output
    const code = await openAnnotatedCode(context, input.path)
    const { view, located } = await findReason(code, input)
    if (located.verdict.state === 'fresh') return toAnswer(located.record, located.region, 'fresh')
    const head = assertCanBeSaid(code, view, located)
    const { region } = await placeRegion(code.repository, head.id, toInput(view, located), 0)
    const record = compose(context, head.id, located, region)
    context.signal.throwIfAborted()
    await writeNotes(context, code, {
      edits: new Map([[head.id, adding([toDocument(record)])]]),
      message: `Annotate ${shortCommit(head.id)}`,
    })
    await withdraw(context, code, located, record)
    return await change(uncancellable(context), async (change) => {
      await change.announce('annotation.created', record.id, {
        commit: head.id,
        summary: record.summary,
        files: [region.file],
      })
      const { state } = located.verdict
      return { ...toAnswer(record, region, state), replaced: located.record.id }
    })
  },
  show: ({ file, anchor, commit, was, replaced }) => [
    replaced === undefined
      ? line`${place(file, anchor)}: its reason fits the code already`
      : line`still holds: ${place(file, anchor)} (was ${was}, now fresh at ${shortCommit(commit)})`,
  ],
})

function toAnswer(
  { id, commit }: AnnotationRecord,
  { file, ast_anchor, lines }: Region,
  was: FreshnessState,
) {
  return {
    record: id,
    commit,
    file,
    ...(ast_anchor !== undefined && { anchor: ast_anchor.name }),
    ...(lines !== undefined && { lines }),
    was,
  }
}

/** Only code that is committed can be an anchor. */
function assertCanBeSaid({ head }: Code, view: FileView, { verdict }: LocatedRegion): Commit {
  const { path, file, uncommitted } = view
  const refuse = (why: string): Failure => new Failure('conflict', `${path}: ${why}`)
  if (verdict.state === 'orphaned')
    throw refuse('the code of the reason is gone; withdraw it, or annotate other code')
  const then = verdict.lines && uncommitted.toOlder(verdict.lines)
  const committed = file.committed?.text
  const isCommitted =
    verdict.lines === undefined
      ? committed === file.text
      : committed !== undefined &&
        then !== undefined &&
        sliceLines(committed, then) === sliceLines(file.text, verdict.lines)
  if (head === undefined || !isCommitted)
    throw refuse('its code has changes that are not committed; commit them first')
  return head
}

/**
 * What the reason says, at the place of its code in the last commit. Not parsed as the input of a call: who wrote it may
 * have said more than a call may.
 */
function toInput(view: FileView, { region, verdict }: LocatedRegion): RegionInput {
  const { unit, lines } = verdict
  const then = lines && view.uncommitted.toOlder(lines)
  return {
    file: view.path,
    ...(unit !== undefined && { anchor: { name: unit.name, type: unit.type } }),
    ...(then !== undefined && { lines: { start: then.start, end: then.end } }),
    kind: region.kind,
    intent: region.intent,
    reasoning: region.reasoning,
    constraints: [...region.constraints],
    semantic_dependencies: [...region.semantic_dependencies],
    related_annotations: [...region.related_annotations],
    tags: [...region.tags],
    risk_notes: region.risk_notes,
  }
}

function compose(
  context: Context,
  commit: CommitId,
  { record, region: before }: LocatedRegion,
  region: Region,
): AnnotationRecord {
  return {
    id: idOfCall(context) ?? context.newId(),
    timestamp: new Date(context.now()).toISOString(),
    commit,
    // Of the text, which may have come from elsewhere. Who says that it holds is in the provenance.
    ...(record.author !== undefined && { author: record.author }),
    summary: record.summary,
    ...(record.task !== undefined && { task: record.task }),
    context_level: record.context_level,
    links: record.links,
    supersedes: [],
    // What was corrected stays corrected.
    regions: [{ ...region, corrections: before.corrections }],
    cross_cutting: [],
    provenance: {
      operation: 'initial',
      derived_from: [...new Set([...record.provenance.derived_from, record.id])],
      original_annotations_preserved: true,
      synthesis_notes: `still holds: ${context.agent.name ?? 'unknown'}`,
    },
  }
}

/** The old place says it no more, in every note that has a copy of it. */
async function withdraw(
  context: Context,
  code: Code,
  { record, region }: LocatedRegion,
  { id, commit }: AnnotationRecord,
): Promise<void> {
  const position = record.regions.indexOf(region)
  const correction: Correction = {
    id: `${id} still holds`,
    correction_type: 'remove',
    correction_text: `still holds, and is said of ${shortCommit(commit)}`,
    timestamp: new Date(context.now()).toISOString(),
    author: context.agent.name ?? 'unknown',
  }
  const edit: NoteEdit = (text = '') => {
    const { documents, unreadable } = parseNoteBody(text)
    const changed = documents.map((document) =>
      toRecord(document)?.id === record.id
        ? addCorrection(document, position, correction)
        : document,
    )
    return formatNoteBody({ documents: changed, unreadable })
  }
  const rows = await code.annotations.byRecord(code.settings.readRefs, record.id)
  for (const ref of new Set(rows.map((row) => row.ref))) {
    const commits = rows.filter((row) => row.ref === ref).map((row) => row.commit)
    const edits = new Map(commits.map((each) => [each, edit]))
    await writeNotes(context, code, { ref, edits, message: `Correct ${record.id}` })
  }
}
