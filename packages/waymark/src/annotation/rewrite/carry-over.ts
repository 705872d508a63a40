import type { Context } from '../../core/context.ts'
import { unitsNamed } from '../anchor.ts'
import { carryDocument } from '../carry.ts'
import { addToNoteBody, foldById, parseNoteBody } from '../notes/note-body.ts'
import {
  type LineRange,
  type ProvenanceOperation,
  type RecordDocument,
  type Region,
  toRecord,
} from '../record.ts'
import type { NoteEdit } from '../notes/write-notes.ts'
import { findBlobs, readBlobs, unreadableNote } from '../notes/read-notes.ts'
import { refTip } from '../../git/refs/ref-tip.ts'
import type { Repository } from '../../git/repository.ts'
import type { Code } from '../write/open-code.ts'
import { writeNotes } from '../write/write-annotations.ts'
import type { CommitId } from '../../git/history/commit-id.ts'

/** A copy of annotations from one commit to another. */
export interface Carry {
  readonly from: CommitId
  readonly to: CommitId
  readonly operation: ProvenanceOperation
  /** Only these records; all of the commit's when absent. */
  readonly records?: ReadonlySet<string>
}

export interface Carried {
  readonly record: string
  readonly from: CommitId
  readonly to: CommitId
  readonly operation: ProvenanceOperation
}

/**
 * Copies annotations to the commits that replaced theirs. Existing copies are skipped. An unreadable note is reported after
 * all others are copied.
 */
export async function carryOver(
  context: Context,
  code: Code,
  carries: readonly Carry[],
): Promise<readonly Carried[]> {
  const carried: Carried[] = []
  const unreadable: CommitId[] = []
  context.signal.throwIfAborted()
  for (const ref of code.settings.readRefs) {
    const additions = new Map<CommitId, RecordDocument[]>()
    for (const carry of carries.filter(({ from, to }) => from !== to)) {
      const documents = await documentsOf(code.repository, ref, carry.from)
      if (documents === undefined) unreadable.push(carry.from)
      for (const document of documents ?? []) {
        const record = toRecord(document)
        if (record === undefined || carry.records?.has(record.id) === false) continue
        const copy = await toCopy(code.repository, document, record.regions, carry)
        additions.set(carry.to, [...(additions.get(carry.to) ?? []), copy])
        const { from, to, operation } = carry
        carried.push({ record: record.id, from, to, operation })
      }
    }
    if (additions.size === 0) continue
    const edits = new Map<CommitId, NoteEdit>(
      [...additions].map(([commit, documents]) => [
        commit,
        (body) => addToNoteBody(body, documents),
      ]),
    )
    await writeNotes(context, code, { ref, edits, message: 'Carry annotations over' })
  }
  const [first] = unreadable
  if (first !== undefined) throw unreadableNote(first)
  return carried
}

/** What the note of a commit holds; undefined if it cannot be read. */
async function documentsOf(
  repository: Repository,
  ref: string,
  commit: CommitId,
): Promise<readonly RecordDocument[] | undefined> {
  const tip = await refTip(repository, ref)
  const found = tip === undefined ? undefined : await findBlobs(repository, { ref, tip }, [commit])
  const blobs = found?.get(commit) ?? undefined
  const note = blobs === undefined ? { body: '' } : await readBlobs(repository, blobs)
  if (note === 'missing') return undefined
  // A note that exceeds a limit is never read, so it needs no copy.
  return 'problem' in note ? [] : foldById(parseNoteBody(note.body).documents)
}

async function toCopy(
  repository: Repository,
  document: RecordDocument,
  regions: readonly Region[],
  { from, to, operation }: Carry,
): Promise<RecordDocument> {
  const lines = new Map<string, LineRange | undefined>()
  for (const region of regions) {
    lines.set(keyOf(region), await linesIn(repository, region, from, to))
  }
  return carryDocument(document, { from, operation, linesOf: (region) => lines.get(keyOf(region)) })
}

function keyOf({ file, ast_anchor, lines }: Region): string {
  return `${file} ${ast_anchor?.name ?? ''} ${lines?.start ?? ''}`
}

async function linesIn(
  repository: Repository,
  region: Region,
  from: CommitId,
  to: CommitId,
): Promise<LineRange | undefined> {
  const there = await repository.versions.at(to, region.file)
  if (there === undefined) return undefined
  if (region.ast_anchor !== undefined) {
    const { units } = await repository.outlines.of({ path: region.file, ...there })
    const [unit] = unitsNamed(units, region.ast_anchor.name)
    if (unit !== undefined) return unit.lines
  }
  const then =
    region.lines === undefined ? undefined : await repository.versions.at(from, region.file)
  if (then === undefined || region.lines === undefined) return undefined
  const mapped = (await repository.texts.compare(then.text, there.text)).toNewer(region.lines)
  return mapped === undefined ? undefined : { start: mapped.start, end: mapped.end }
}
