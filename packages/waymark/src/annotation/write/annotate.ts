import { counted } from '../../core/show.ts'
import * as z from 'zod'
import type { Context } from '../../core/context.ts'
import { parseNoteBody } from '../notes/note-body.ts'
import {
  type AnnotationRecord,
  CONTEXT_LEVELS,
  type CrossCutting,
  type EntityLink,
  type Region,
  splitPlace,
  toDocument,
  toRecord,
} from '../record.ts'
import { isRepositoryPath } from '../place.ts'
import type { NoteEdit } from '../notes/write-notes.ts'
import { subjectOf } from '../../git/history/commits.ts'
import { defineOperation } from '../../core/operation.ts'
import { violation } from '../../core/input/parse.ts'
import { body, oneLine } from '../../core/input/schema.ts'
import { answeredBefore, change, idOfCall, uncancellable } from '../../core/change.ts'
import { findEntity } from '../../entity/find-entity.ts'
import { type Code, openCode, resolveCommit } from './open-code.ts'
import { EMPTY_PENDING, forgetPending, type Pending, readPending } from './pending.ts'
import { type PlacedRegion, placeRegion } from './place-region.ts'
import { crossCuttingInput, type RegionInput, regionInput } from './region-input.ts'
import { showAnnotated, showAnnotatedToAgent } from './show.ts'
import { annotatedView } from './view.ts'
import { adding, writeNotes } from './write-annotations.ts'
import type { CommitId } from '../../git/history/commit-id.ts'

const SHORT_SUMMARY = 20
const SHORT_INTENT = 10
const MOST_FILES = 50

export const annotateCode = defineOperation({
  name: 'code.annotate',
  summary: 'Record why a commit made the code as it is: intent, constraints, what was learned',
  example: 'HEAD --summary "Retry once, since the server closes idle connections"',
  effect: 'write',
  input: z.object({
    commit: oneLine({ max: 200 }).default('HEAD').describe('Commit it is about'),
    summary: body({ max: 20_000 })
      .optional()
      .describe('What the commit does and why, in a sentence or two'),
    regions: z
      .array(regionInput)
      .max(200)
      .default([])
      .describe('What there is to say, place by place'),
    cross_cutting: z
      .array(crossCuttingInput)
      .max(50)
      .default([])
      .describe('What several places have to do together'),
    task: oneLine({ max: 500 }).optional().describe('Task or ticket it was done for'),
    links: z
      .array(z.string())
      .max(20)
      .default([])
      .describe('Numbers or ids of decisions and tasks it belongs to'),
    context_level: z
      .enum(CONTEXT_LEVELS)
      .optional()
      .describe('Use inferred when you deduced the reasons yourself'),
    replace: z.boolean().default(false).describe('Replace your earlier annotation of this commit'),
    auto: z.boolean().default(false).describe('Take the summary from the commit message'),
  }),
  output: annotatedView,
  positional: ['commit'],
  async run(context, input) {
    // HEAD and the pending text may have changed since the first call with this idempotency key.
    const earlier = await answeredBefore(context)
    if (earlier !== undefined) return earlier.output
    const code = await openCode(context)
    const commit = await resolveCommit(code.repository, input.commit)
    const pending = commit === code.head?.id ? await readPending(context, code) : EMPTY_PENDING
    const summary = await summaryFor(code, commit, input, pending)
    const placed = await placeAll(code, commit, input.regions, { pending, summary })
    const record = await compose(context, { ...input, commit, summary, placed, pending })
    context.signal.throwIfAborted()
    const others = await write(context, code, record, input.replace)
    const warnings = [
      ...placed.flatMap((each) => each.warnings),
      ...qualityWarnings(record),
      ...(others > 0
        ? [
            `this commit had ${counted(others, 'annotation')} already; added beside ${others === 1 ? 'it' : 'them'}`,
          ]
        : []),
    ]
    return await change(uncancellable(context), async (change) => {
      await change.announce('annotation.created', record.id, {
        commit,
        summary: record.summary,
        files: [...new Set(record.regions.map(({ file }) => file))].slice(0, MOST_FILES),
      })
      await forgetPending(change, pending)
      return {
        success: true as const,
        commit,
        record: record.id,
        regions_written: record.regions.length,
        warnings,
        anchor_resolutions: placed.flatMap(({ resolution }) => resolution ?? []),
      }
    })
  },
  show: showAnnotated,
  showToAgent: showAnnotatedToAgent,
})

type Input = z.output<typeof annotateCode.input>

async function summaryFor(
  { repository }: Code,
  commit: CommitId,
  { summary, auto }: Pick<Input, 'summary' | 'auto'>,
  pending: Pending,
): Promise<string> {
  const message = auto ? (await repository.commits.get(commit))?.message : undefined
  const told = summary ?? pending.summary ?? message
  if (told !== undefined && told.trim() !== '') return told.trim()
  throw violation('summary', 'required', 'is required; or use auto for the commit message')
}

async function placeAll(
  code: Code,
  commit: CommitId,
  given: readonly RegionInput[],
  { pending, summary }: { readonly pending: Pending; readonly summary: string },
): Promise<readonly PlacedRegion[]> {
  const regions = given.length > 0 ? given : await pendingRegions(code, commit, pending, summary)
  const placed: PlacedRegion[] = []
  for (const [at, region] of regions.entries()) {
    placed.push(await placeRegion(code.repository, commit, region, at))
  }
  return placed
}

interface Composition extends Pick<
  Input,
  'task' | 'links' | 'cross_cutting' | 'context_level' | 'auto'
> {
  readonly commit: CommitId
  readonly summary: string
  readonly placed: readonly PlacedRegion[]
  readonly pending: Pending
}

async function compose(
  context: Context,
  { commit, summary, placed, pending, ...input }: Composition,
): Promise<AnnotationRecord> {
  const task = input.task ?? pending.task
  return {
    id: idFor(context),
    timestamp: new Date(context.now()).toISOString(),
    commit,
    ...(context.agent.name !== null && { author: context.agent.name }),
    summary,
    ...(task !== undefined && { task }),
    context_level: input.context_level ?? (input.auto && pending.isEmpty ? 'inferred' : 'enhanced'),
    links: await resolveLinks(context, input.links),
    supersedes: [],
    regions: placed.map(({ region }) => withPending(region, pending)),
    cross_cutting: input.cross_cutting.map(toCrossCutting),
    provenance: {
      operation: 'initial',
      derived_from: [],
      original_annotations_preserved: true,
      ...(pending.notes.length > 0 && { synthesis_notes: pending.notes.join('\n') }),
    },
  }
}

/** Returns how many other annotations the commit had before. */
async function write(
  context: Context,
  code: Code,
  record: AnnotationRecord,
  replaces: boolean,
): Promise<number> {
  let others: readonly AnnotationRecord[] = []
  const edit: NoteEdit = (body) => {
    others = recordsIn(body).filter(({ id }) => id !== record.id)
    // Superseded records of the same author stay in the note but are no longer shown.
    const own = replaces ? others.filter(({ author }) => author === record.author) : []
    const supersedes = own.map(({ id }) => id)
    return adding([toDocument({ ...record, supersedes })])(body)
  }
  const message = `Annotate ${record.commit.slice(0, 12)}`
  await writeNotes(context, code, { edits: new Map([[record.commit, edit]]), message })
  return replaces ? 0 : others.length
}

/** A retry with the same idempotency key writes the same record id, so the record is stored once. */
function idFor(context: Context): string {
  return idOfCall(context) ?? context.newId()
}

/**
 * Pending text without regions applies to all files that the commit changed. Files whose names exceed the limits of an
 * annotation are skipped: they were not requested by name.
 */
async function pendingRegions(
  { repository }: Code,
  commit: CommitId,
  pending: Pending,
  summary: string,
): Promise<readonly RegionInput[]> {
  if (pending.isEmpty) return []
  const args = [
    'diff-tree',
    '--root',
    '--no-commit-id',
    '--name-only',
    '--diff-filter=d',
    '-r',
    '-z',
    commit,
  ]
  const files = (await repository.ask(args)).split('\0').filter((file) => file !== '')
  const intent = subjectOf({ message: summary })
  return files
    .filter((file) => isRepositoryPath(repository.root, file))
    .flatMap((file) => regionInput.safeParse({ file, intent }).data ?? [])
    .slice(0, MOST_FILES)
}

function withPending(region: Region, { reasoning, tags, dependencies }: Pending): Region {
  return {
    ...region,
    ...(region.reasoning === undefined && reasoning !== undefined && { reasoning }),
    tags: [...new Set([...region.tags, ...tags])],
    semantic_dependencies: [...region.semantic_dependencies, ...dependencies],
  }
}

async function resolveLinks(context: Context, links: readonly string[]): Promise<EntityLink[]> {
  const entities = await Promise.all(
    links.map((text, at) => findEntity(context.store.entities, text, `links.${at}`)),
  )
  return entities.map(({ type, id }) => ({ type, id }))
}

function toCrossCutting(input: z.output<typeof crossCuttingInput>): CrossCutting {
  const { description, regions, nature, tags } = input
  return {
    description,
    regions: regions.map((place) => {
      const [file, anchor] =
        typeof place === 'string' ? splitPlace(place) : [place.file, place.anchor]
      return { file, ...(anchor !== undefined && { anchor }) }
    }),
    ...(nature !== undefined && { nature }),
    tags,
  }
}

function recordsIn(body: string | undefined): readonly AnnotationRecord[] {
  return parseNoteBody(body ?? '').documents.flatMap((document) => toRecord(document) ?? [])
}

/** Warnings about the quality of an annotation; they do not prevent writing it. */
function qualityWarnings({ summary, regions }: AnnotationRecord): readonly string[] {
  return [
    ...(summary.length < SHORT_SUMMARY ? ['the summary is very short'] : []),
    ...regions.flatMap(({ file, ast_anchor, intent, constraints, kind }) => {
      const place = ast_anchor?.name ?? file
      return [
        ...(intent.length < SHORT_INTENT ? [`the intent of ${place} is very short`] : []),
        ...(kind === 'intent' && constraints.length === 0 ? [`no constraints for ${place}`] : []),
      ]
    }),
  ]
}
