import { type Block, counted, joined, line, own, paragraphs, section } from '../../core/show.ts'
import { place, shortCommit } from '../show.ts'
import type { AnnotatedView, PendingView } from './view.ts'

export function showAnnotated(view: AnnotatedView): readonly Block[] {
  const { commit, regions_written: count, anchor_resolutions, warnings } = view
  const inexact = anchor_resolutions.filter(({ resolution }) => resolution !== 'exact')
  return [
    line`annotated ${shortCommit(commit)}, ${own(count === 0 ? 'the whole commit' : counted(count, 'place'))}`,
    ...inexact.map(({ file, requested_name: wanted, resolved_name: found }) => {
      const outcome = found === undefined ? line`not found` : line`taken as ${found}`
      return line`- ${place(file, wanted)}: ${outcome}`
    }),
    ...warnings.map((text) => line`careful: ${text}`),
  ]
}

const COMMIT_FOR_AGENT = 10

export function showAnnotatedToAgent({
  commit,
  regions_written: count,
  warnings,
}: AnnotatedView): readonly Block[] {
  return [
    line`annotated ${commit.slice(0, COMMIT_FOR_AGENT)}: ${own(count === 0 ? 'the whole commit' : counted(count, 'region'))}`,
    ...warnings.map((text) => line`${text}`),
  ]
}

/** The future annotation of the next commit. */
export function showPending(view: PendingView): readonly Block[] {
  const { summary, task, reasoning, tags, dependencies, notes } = view
  const told = paragraphs([
    [
      ...(summary === undefined ? [] : [line`summary: ${summary}`]),
      ...(task === undefined ? [] : [line`task: ${task}`]),
      ...(reasoning === undefined ? [] : [line`reasoning: ${reasoning}`]),
      ...(tags.length === 0 ? [] : [line`tags: ${joined(tags)}`]),
    ],
    section(
      'Counts on',
      dependencies.map(({ file, anchor, nature }) => line`- ${place(file, anchor)}: ${nature}`),
    ),
    section(
      'Notes',
      notes.map(({ text }) => line`- ${text}`),
    ),
  ])
  return told.length === 0 ? [line`no pending text for the next commit`] : told
}
