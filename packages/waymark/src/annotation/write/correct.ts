import * as z from 'zod'
import type { Context } from '../../core/context.ts'
import { isSameAnchor } from '../anchor.ts'
import { addCorrection, CORRECTABLE_FIELDS, valuesOf } from '../correction.ts'
import { formatNoteBody, parseNoteBody } from '../notes/note-body.ts'
import { toRepositoryPath } from '../place.ts'
import { type Correction, CORRECTION_TYPES, type Region, toRecord } from '../record.ts'
import { Failure } from '../../core/error.ts'
import type { NoteEdit } from '../notes/write-notes.ts'
import { defineOperation } from '../../core/operation.ts'
import { violation } from '../../core/input/parse.ts'
import { body, oneLine } from '../../core/input/schema.ts'
import { line } from '../../core/show.ts'
import type { AnnotationRow } from '../store.ts'
import { answeredBefore, change, idOfCall, uncancellable } from '../../core/change.ts'
import { findRegions } from '../region/find-regions.ts'
import { type Code, openAnnotatedCode } from './open-code.ts'
import { correctionView } from '../region/region-view.ts'
import { isInScope, resolveScope } from '../region/scope.ts'
import { place, shortCommit } from '../show.ts'
import { writeNotes } from './write-annotations.ts'
import { quote } from '../../support/text/visible-text.ts'
import type { CommitId } from '../../git/history/commit-id.ts'

const MOST_SHOWN = 20
const MOST_NAMED = 3

export const correctCode = defineOperation({
  name: 'code.correct',
  summary: 'Flag, amend or withdraw something an annotation says; the original stays readable',
  example: 'src/client.ts Client.connect --reason "the server no longer closes idle connections"',
  effect: 'write',
  input: z.object({
    path: z.string().optional().describe('File whose newest annotation is meant'),
    anchor: z.string().max(500).optional().describe('Function or type it is about'),
    record: oneLine({ max: 100 }).optional().describe('Id of the annotation, instead of its place'),
    type: z
      .enum(CORRECTION_TYPES)
      .default('flag')
      .describe('flag: doubtful; amend: corrected by replacement; remove: no longer true'),
    field: z
      .enum(CORRECTABLE_FIELDS)
      .optional()
      .describe('Part that is wrong; the whole when absent'),
    value: body({ max: 20_000 }).optional().describe('Which of the values of a list'),
    replacement: body({ max: 20_000 }).optional().describe('What it should say'),
    reason: body({ max: 20_000 }).describe('Why'),
  }),
  output: z.object({
    record: z.string(),
    commit: z.string(),
    file: z.string(),
    anchor: z.string().optional(),
    correction: correctionView,
  }),
  positional: ['path', 'anchor'],
  async run(context, input) {
    const earlier = await answeredBefore(context)
    if (earlier !== undefined) return earlier.output
    const code = await openAnnotatedCode(context)
    const { rows, region, position } = await findTarget(code, input)
    const correction = compose(context, input, region)
    const [first] = rows
    if (first === undefined) throw new Failure('internal', 'an annotation without a note')
    const { record } = first
    context.signal.throwIfAborted()
    // A copied record is in several notes; correct all of them.
    for (const [ref, commits] of commitsByRef(rows)) {
      const edit = correcting(record.id, position, correction)
      const edits = new Map(commits.map((commit) => [commit, edit]))
      const message = `Correct ${record.id}`
      await writeNotes(context, code, { ref, edits, message })
    }
    return await change(uncancellable(context), async (change) => {
      await change.announce('annotation.corrected', record.id, {
        commit: first.commit,
        type: input.type,
        file: region.file,
      })
      return {
        record: record.id,
        commit: first.commit,
        file: region.file,
        ...(region.ast_anchor !== undefined && { anchor: region.ast_anchor.name }),
        correction,
      }
    })
  },
  show: ({ file, anchor, commit, correction }) => {
    const { correction_type: type, correction_text: text } = correction
    return [line`${type}: ${place(file, anchor)} (${shortCommit(commit)}): ${text}`]
  },
})

type Input = z.output<typeof correctCode.input>

interface Target {
  /** Every note that contains the annotation. */
  readonly rows: readonly AnnotationRow[]
  readonly region: Region
  /** Which of the annotation's regions that is. */
  readonly position: number
}

async function findTarget(code: Code, input: Input): Promise<Target> {
  const { annotations } = code
  if (input.record !== undefined) {
    const rows = await annotations.byRecord(code.settings.readRefs, input.record)
    const regions = rows[0]?.record.regions ?? []
    if (rows.length === 0)
      throw notFound('record', `no annotation ${JSON.stringify(input.record)}`, [])
    const region = chooseRegion(code, regions, input)
    return { rows, region, position: regions.indexOf(region) }
  }
  if (input.path === undefined) {
    throw violation('path', 'required', 'is required, or the id of an annotation as record')
  }
  const scope = await resolveScope(code, { path: input.path, anchor: input.anchor })
  const regions = await findRegions(code, scope.view)
  const newest = regions
    .filter((each) => isInScope(scope, each))
    .toSorted((a, b) => b.committedAt - a.committedAt)[0]
  if (newest === undefined) {
    const known = regions.map(({ region }) => placeOf(region))
    throw notFound('path', `nothing is annotated at ${input.anchor ?? scope.view.path}`, known)
  }
  const { record, region } = newest
  const rows = await annotations.byRecord(code.settings.readRefs, record.id)
  return { rows, region, position: record.regions.indexOf(region) }
}

function chooseRegion({ repository }: Code, regions: readonly Region[], input: Input): Region {
  const path = input.path === undefined ? undefined : toRepositoryPath(repository.root, input.path)
  const meant = regions.filter(
    ({ file, ast_anchor }) =>
      (path === undefined || file === path) &&
      (input.anchor === undefined || isSameAnchor(input.anchor, ast_anchor?.name ?? '')),
  )
  const [region, ...others] = meant
  if (region !== undefined && others.length === 0) return region
  const what = region === undefined ? 'no such region in' : 'name one of the regions of'
  throw notFound('anchor', `${what} this annotation`, regions.map(placeOf))
}

function compose(context: Context, input: Input, region: Region): Correction {
  const { type, field, value, replacement, reason } = input
  if (type === 'amend' && (field === undefined || replacement === undefined)) {
    const missing = field === undefined ? 'field' : 'replacement'
    throw violation(missing, 'required', 'is required to amend something')
  }
  if (field !== undefined && value !== undefined && !valuesOf(region, field).includes(value)) {
    const values = valuesOf(region, field).slice(0, MOST_SHOWN)
    throw violation('value', 'not_one_of', `is not among the ${field}`, { valid: values })
  }
  const id = idOfCall(context)
  return {
    ...(id !== undefined && { id }),
    ...(field !== undefined && { field }),
    correction_type: type,
    correction_text: reason,
    ...(value !== undefined && { target_value: value }),
    ...(replacement !== undefined && { replacement }),
    timestamp: new Date(context.now()).toISOString(),
    author: context.agent.name ?? 'unknown',
  }
}

function commitsByRef(rows: readonly AnnotationRow[]): ReadonlyMap<string, readonly CommitId[]> {
  const commits = new Map<string, CommitId[]>()
  for (const { ref, commit } of rows) commits.set(ref, [...(commits.get(ref) ?? []), commit])
  return commits
}

function correcting(id: string, position: number, correction: Correction): NoteEdit {
  return (text = '') => {
    const { documents, unreadable } = parseNoteBody(text)
    const corrected = documents.map((document) =>
      toRecord(document)?.id === id ? addCorrection(document, position, correction) : document,
    )
    return formatNoteBody({ documents: corrected, unreadable })
  }
}

function placeOf({ file, ast_anchor, lines }: Region): string {
  return `${file}:${ast_anchor?.name ?? (lines === undefined ? '' : lines.start)}`
}

function notFound(field: string, message: string, known: readonly string[]): Failure {
  const shown = [...new Set(known)].slice(0, MOST_SHOWN)
  const named = shown.slice(0, MOST_NAMED).map((each) => quote(each, 60))
  const hint = shown.length === 0 ? '' : `; there is ${named.join(', ')}`
  return new Failure('not_found', `${message}${hint}`, {
    details: { field, kind: 'annotation', available: shown },
  })
}
