import { type Block, field, joined, type Line, line, own, titled, titles } from '../../core/show.ts'
import type { Reservation } from '../../task/lock/locks.ts'
import type { Statement, WhyView } from './view.ts'

type Dependency = NonNullable<WhyView['relies_on']>[number]
type Link = NonNullable<WhyView['belongs_to']>[number]

/** What is known of code, for a model: one fact on each line, the most binding first. */
export function showWhyToAgent(known: WhyView): readonly Block[] {
  const { reserved_by = [], relied_on_by = [], relies_on = [], together_with = [] } = known
  const { belongs_to = [], last_commits = [], written_by = [], notes = [] } = known
  const facts = [
    ...reserved_by.map(showReservation),
    ...showStatements('must hold', known.must_hold),
    ...showStatements('why', known.reasons),
    ...showSummaries(known.summaries),
    ...showStatements('learned', known.learned),
    ...showStatements('risk', known.risks),
    ...showStatements('unfinished', known.unfinished),
    ...relied_on_by.map((one) => line`relied on by: ${showDependency(one)} (${one.state})`),
    ...relies_on.map((one) => line`relies on: ${showDependency(one)}`),
    ...together_with.map(
      ({ regions, description }) => line`with ${titles(regions)}: ${description}`,
    ),
    ...belongs_to.flatMap((link) => field('belongs to', showLink(link))),
    ...last_commits.map(
      ({ date, commit, subject }) => line`last commit: ${date} ${commit} ${subject}`,
    ),
    ...written_by.map(({ agent, lines }) => line`written by: ${titled(agent)} (${lines} lines)`),
  ]
  return [
    ...(facts.length === 0 ? [line`nothing is recorded about this code`] : facts),
    ...notes.map((note) => line`${note}`),
  ]
}

function showReservation(reservation: Reservation): Line {
  const { agent_id, agent_name = agent_id, pattern, task, expires_at } = reservation
  return line`reserved by ${titled(agent_name)} until ${expires_at}: ${titled(pattern)} for #${task.number} ${titled(task.title)}`
}

function showStatements(name: string, statements: readonly Statement[] = []): readonly Line[] {
  return statements.flatMap((statement) => {
    const { at, text, detail, state, by, commit, evidence, confidence, reverted_by } = statement
    const place = at === undefined ? undefined : line`${titled(at)}: `
    // Unchanged code needs no evidence, and each word costs a token.
    const sureness = state === 'fresh' ? undefined : `confidence ${confidence}`
    const reverted = reverted_by === undefined ? undefined : `reverted by ${reverted_by}`
    const origin = joined([state, reverted, evidence, sureness, by, commit].map(titled))
    return [
      line`${own(name)}: ${place}${titled(text)} (${origin})`,
      ...(detail === undefined ? [] : [line`  ${detail}`]),
    ]
  })
}

function showSummaries(summaries: WhyView['summaries'] = []): readonly Line[] {
  return summaries.map(({ text, state, by, commit }) => {
    return line`commit summary: ${titled(text)} (${joined([state, by, commit].map(titled))})`
  })
}

function showDependency({ file, anchor, nature }: Dependency): Line {
  return line`${joined([titled(file), titled(anchor)], ' ')}: ${nature}`
}

function showLink({ type, id, number, title }: Link): Line {
  return joined([type, number === undefined ? id : line`#${number}`, titled(title)], ' ')
}
