import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { type Block, dim, line } from '../../core/show.ts'
import { unitsNamed } from '../anchor.ts'
import { FRESHNESS_STATES } from '../freshness.ts'
import { countLines, sliceLines } from '../outline/lines.ts'
import type { LineRange } from '../record.ts'
import type { FileView } from '../region/file-view.ts'
import type { LocatedRegion } from '../region/find-regions.ts'
import { place, shortCommit } from '../show.ts'
import { type Code, openAnnotatedCode } from '../write/open-code.ts'
import { findReason, reasonInput } from './find-reason.ts'
import { toDiffLines } from './diff-lines.ts'

/** Longer code is cut; the answer says so. */
const MOST_LINES = 500

const codeText = z.object({
  file: z.string(),
  first_line: z.int(),
  text: z.string(),
  cut: z.int().describe('How many more lines there are'),
})

const driftView = z.object({
  record: z.string().describe('Id of the annotation'),
  commit: z.string().describe('Commit that it was written for'),
  intent: z.string(),
  anchor: z.string().optional(),
  state: z.enum(FRESHNESS_STATES),
  // Optional: the old version may not be readable, and code that is gone has no text today.
  before: codeText.optional().describe('The code when the reason was written'),
  today: codeText.optional().describe('The same code today'),
})

export const compareDrift = defineOperation({
  name: 'code.drift',
  summary: 'Compare the code of a reason with what it was when the reason was written',
  example: 'src/client.ts Client.connect',
  effect: 'read',
  input: z.object(reasonInput),
  output: driftView,
  positional: ['path', 'anchor'],
  async run(context, input) {
    const code = await openAnnotatedCode(context, input.path)
    const { view, located } = await findReason(code, input)
    const { record, region, commit, verdict } = located
    const before = await textThen(code, located)
    const today = textNow(view, located)
    return {
      record: record.id,
      commit,
      intent: region.intent,
      ...(region.ast_anchor !== undefined && { anchor: region.ast_anchor.name }),
      state: verdict.state,
      ...(before !== undefined && { before }),
      ...(today !== undefined && { today }),
    }
  },
  show: ({ anchor, commit, intent, state, before, today }): readonly Block[] => {
    const file = (today ?? before)?.file ?? ''
    return [
      line`${place(file, anchor)}: ${state} since ${shortCommit(commit)}: ${intent}`,
      ...toDiffLines(before?.text ?? '', today?.text ?? ''),
      ...(before === undefined ? [dim('the version of that commit cannot be read')] : []),
    ]
  },
})

async function textThen({ repository }: Code, { commit, region }: LocatedRegion) {
  const version = await repository.versions.at(commit, region.file)
  if (version === undefined) return undefined
  const { text } = version
  const named = region.ast_anchor?.name
  if (region.lines !== undefined || named === undefined)
    return toText(region.file, text, region.lines)
  const { units } = await repository.outlines.of({ path: region.file, ...version })
  return toText(region.file, text, unitsNamed(units, named)[0]?.lines)
}

function textNow({ path, file }: FileView, { region, verdict }: LocatedRegion) {
  if (verdict.state === 'orphaned') return undefined
  const isWhole = region.lines === undefined && region.ast_anchor === undefined
  return isWhole || verdict.lines !== undefined ? toText(path, file.text, verdict.lines) : undefined
}

function toText(file: string, text: string, lines: LineRange | undefined) {
  const count = countLines(text)
  const { start, end } = { start: lines?.start ?? 1, end: Math.min(lines?.end ?? count, count) }
  const last = Math.min(end, start + MOST_LINES - 1)
  return {
    file,
    first_line: start,
    text: sliceLines(text, { start, end: last }),
    cut: end - last,
  }
}
