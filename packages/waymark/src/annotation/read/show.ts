import {
  BLANK,
  type Block,
  bold,
  counted,
  dim,
  joined,
  type Line,
  line,
  own,
  paragraphs,
  quote,
  section,
} from '../../core/show.ts'
import { holder } from '../../task/lease/show.ts'
import type { CorrectionView, FreshnessView, RegionView } from '../region/region-view.ts'
import { place, shortCommit, showNotes } from '../show.ts'
import type {
  DependentsView,
  HistoryView,
  ReadView,
  Statement,
  SummaryView,
  TimelineEntry,
  UnitSummary,
  WhyView,
} from './view.ts'

// Answers about code are Markdown, which people and models both read well.

const NOT_ANNOTATED = line`nothing is annotated here`

type Summary = NonNullable<SummaryView['summaries']>[number]

function showSummaries(summaries: readonly Summary[] = []): readonly Block[] {
  return section(
    'Commit summaries',
    summaries.map(({ text, state, by, commit }) => {
      return line`- ${text} (${joined([state, by, shortCommit(commit)])})`
    }),
  )
}

export function showRead(view: ReadView): readonly Block[] {
  const { regions, summaries = [], dependencies_on_this = [], cross_cutting = [], trimmed } = view
  const shown = regions.flatMap((region, at) => [
    ...(at === 0 ? [] : [[line`---`]]),
    showRegion(region),
  ])
  const dependents = dependencies_on_this.map(
    ({ from_file, from_anchor, nature }) => line`- ${from_file} ${from_anchor}: ${nature}`,
  )
  const concerns = cross_cutting.map(({ description }) => line`- ${description}`)
  return paragraphs([
    showNotes(view.notes),
    ...(shown.length + summaries.length === 0 ? [[NOT_ANNOTATED]] : shown),
    showSummaries(summaries),
    section('Depends on this', dependents),
    section('Together with other places', concerns),
    trimmed === undefined ? [] : [showTrimmed(trimmed)],
  ])
}

function showTrimmed({
  original_regions: all,
  returned_regions: shown,
}: NonNullable<ReadView['trimmed']>): Line {
  return line`${shown} of ${all} regions shown to keep to the budget`
}

function showRegion(region: RegionView): readonly Block[] {
  const { kind, commit, timestamp, author, confidence, constraints = [], corrections = [] } = region
  const where = place(region.file, region.ast_anchor?.name)
  const origin = joined(
    [
      shortCommit(commit),
      timestamp.slice(0, 10),
      author,
      showFreshness(region.freshness),
      line`confidence ${confidence}`,
    ],
    ' · ',
  )
  return [
    bold(kind === 'intent' ? line`## ${where}` : line`## [${kind}] ${where}`),
    dim(origin),
    BLANK,
    ...quote(region.intent),
    ...labelled('Reasoning', region.reasoning),
    ...section(
      'Constraints',
      constraints.map(({ source, text }) => line`- [${source}] ${text}`),
    ),
    ...labelled('Risk', region.risk_notes),
    ...section('Corrections', corrections.map(showCorrection)),
  ]
}

function showCorrection({
  correction_type: type,
  field,
  author,
  correction_text: text,
}: CorrectionView): Line {
  return line`- ${type}${field === undefined ? undefined : line` of ${field}`} by ${author}: ${text}`
}

/** `drifted (body, by 0123456 Retry twice)`. */
function showFreshness(freshness: FreshnessView): Line {
  const { state, changed = [], changed_by = [], was, evidence, reverted_by } = freshness
  const [changer] = changed_by
  const details = joined([
    ...changed,
    changer && line`by ${changer.commit.slice(0, 7)} ${changer.subject}`,
    (was?.file ?? was?.anchor) === undefined
      ? undefined
      : line`was ${joined([was?.file, was?.anchor], ' ')}`,
    evidence,
    reverted_by && line`reverted by ${shortCommit(reverted_by)}`,
  ])
  return details.length === 0 ? line`${state}` : line`${state} (${details})`
}

function labelled(title: string, text: string | undefined): readonly Block[] {
  return text === undefined ? [] : [BLANK, ...section(title, quote(text))]
}

export function showDependents({ notes, dependents }: DependentsView): readonly Block[] {
  const rows = dependents.map(
    ({ file, anchor, nature, state, commit }) =>
      line`- ${place(file, anchor)}: ${nature} (${state}, ${shortCommit(commit)})`,
  )
  return paragraphs([showNotes(notes), rows.length === 0 ? [line`nothing depends on this`] : rows])
}

export function showHistory({ notes, timeline, summaries = [] }: HistoryView): readonly Block[] {
  const entries = [
    ...timeline.map((entry) => ({ at: entry.timestamp, lines: showEntry(entry) })),
    ...summaries.map((summary) => ({ at: summary.timestamp, lines: showSummaryEntry(summary) })),
  ]
    .toSorted((a, b) => (a.at === b.at ? 0 : a.at < b.at ? -1 : 1))
    .flatMap(({ lines }) => lines)
  return paragraphs([showNotes(notes), entries.length === 0 ? [NOT_ANNOTATED] : entries])
}

function showEntry(entry: TimelineEntry): readonly Line[] {
  const { timestamp, commit, commit_message: subject, intent, state, reasoning } = entry
  const isGone = state === 'orphaned'
  const details = joined([
    isGone ? line`about code that is gone` : state,
    entry.evidence,
    entry.reverted_by && line`reverted by ${shortCommit(entry.reverted_by)}`,
  ])
  return [
    line`${timestamp.slice(0, 10)} ${shortCommit(commit)} ${subject}`,
    line`  ${intent} (${details})`,
    ...(reasoning === undefined ? [] : [line`  ${reasoning}`]),
  ]
}

function showSummaryEntry({ timestamp, commit, text, state }: Summary): readonly Line[] {
  return [
    line`${timestamp.slice(0, 10)} ${shortCommit(commit)} the whole commit`,
    line`  ${joined([text, state && line`(${state})`], ' ')}`,
  ]
}

export function showSummary({ notes, units, summaries, stats }: SummaryView): readonly Block[] {
  const { annotated_units: annotated, ast_units_in_file: all, files } = stats
  return paragraphs([
    showNotes(notes),
    units.length === 0 && summaries === undefined ? [NOT_ANNOTATED] : units.flatMap(showUnit),
    showSummaries(summaries),
    [line`${annotated} of ${own(counted(all, 'unit'))} annotated, ${own(counted(files, 'file'))}`],
  ])
}

function showUnit({ file, anchor, intent, state, constraints = [] }: UnitSummary): readonly Line[] {
  const where = place(file, anchor.name === file ? undefined : anchor.name)
  return [
    line`- ${where}: ${intent} (${state})`,
    ...constraints.map(({ text }) => line`  - ${text}`),
  ]
}

export function showWhy(view: WhyView): readonly Block[] {
  const { reserved_by = [], relied_on_by = [], belongs_to = [], last_commits = [] } = view
  const sections = [
    section(
      'Reserved',
      reserved_by.map(
        (one) => line`- ${one.pattern} by ${holder(one)} for #${one.task.number} ${one.task.title}`,
      ),
    ),
    section('Must stay true', showStatements(view.must_hold)),
    section('Why it is this way', showStatements(view.reasons)),
    showSummaries(view.summaries),
    section('Learned', showStatements(view.learned)),
    section('Risks', showStatements(view.risks)),
    section('Unfinished', showStatements(view.unfinished)),
    section(
      'Relied on by',
      relied_on_by.map(
        ({ file, anchor, nature, state }) => line`- ${place(file, anchor)}: ${nature} (${state})`,
      ),
    ),
    section(
      'Belongs to',
      belongs_to.map(
        ({ type, number, id, title }) =>
          line`- ${type} ${number === undefined ? id : line`#${number}`} ${title}`,
      ),
    ),
    section(
      'Last commits',
      last_commits.map(({ date, commit, subject }) => line`- ${date} ${commit} ${subject}`),
    ),
  ]
  const isEmpty = sections.every(({ length }) => length === 0)
  return paragraphs([
    [bold(line`## ${view.file}`)],
    showNotes(view.notes),
    ...(isEmpty ? [[line`nothing is known about this`]] : sections),
  ])
}

function showStatements(statements: readonly Statement[] = []): readonly Line[] {
  return statements.flatMap((statement) => {
    const { at, text, state, by, commit, detail, evidence, confidence, reverted_by } = statement
    const sureness = state === 'fresh' ? undefined : line`confidence ${confidence}`
    const reverted = reverted_by && line`reverted by ${reverted_by}`
    const origin = joined([state, reverted, evidence, sureness, by, commit])
    return [
      line`- ${at === undefined ? undefined : line`${at}: `}${text} (${origin})`,
      ...(detail === undefined ? [] : [line`  ${detail}`]),
    ]
  })
}
