import { type Block, counted, joined, type Line, line, own } from '../core/show.ts'
import type { SyncReport } from './view.ts'
import type { Taken } from './merge-report.ts'

export function showSync(report: SyncReport): readonly Block[] {
  const { remote, received, sent, dry_run: isDry, notice } = report
  const came = Object.entries(received).filter(([, count]) => count !== 0)
  const arrived = joined(came.map(([what, count]) => own(showCount(what, count))))
  const exchanged =
    remote === undefined
      ? [
          ...(came.length === 0
            ? []
            : [line`${own(isDry ? 'would be taken in' : 'taken in')}: ${arrived}`]),
          line`${own(isDry ? 'would be written' : 'written')} to the log of this clone: ${entities(sent)}; it has no remote`,
        ]
      : [
          line`${own(isDry ? 'would come' : 'came')} from ${remote}: ${came.length === 0 ? own('nothing') : arrived}`,
          line`${own(isDry ? 'would go' : 'went')}: ${entities(sent)}${own(sent.pushed || isDry ? '' : ', not pushed')}`,
        ]
  const damaged = problem(
    report.unreadable.length,
    'entity is damaged here and was not sent: waymark doctor',
    'entities are damaged here and were not sent: waymark doctor',
  )
  const gone = [...purges(report), ...deletions(report)]
  const aside = [...setAside(report), ...notesSetAside(report)]
  const warning = notice === undefined ? [] : [line`warning: ${notice}`]
  return [
    ...exchanged,
    ...claims(report),
    ...gone,
    ...remarks(report),
    ...damaged,
    ...aside,
    ...warning,
  ]
}

/** What a sync or an import counts: things by their noun, entities by what happened to them. */
function showCount(what: string, count: number): string {
  const noun = NOUNS[what]
  return noun === undefined ? `${count} ${RECEIVED[what] ?? what}` : counted(count, noun)
}

const NOUNS: Readonly<Record<string, string>> = { relations: 'relation', notes: 'note' }

/** Labels that differ from the name of the count. */
const RECEIVED: Readonly<Record<string, string>> = { purged: 'to be purged' }

const PURGES = {
  deleted:
    'purged elsewhere, deleted here; waymark purge <id> erases it, waymark restore <id> keeps it:',
  held: 'purged elsewhere, untouched here because there are so many; waymark sync --accept-purges erases them:',
  purged: 'purged:',
} as const satisfies Readonly<Record<SyncReport['purges'][number]['state'], string>>

function claims({ claims: { lost, reopened } }: SyncReport): readonly Line[] {
  return [
    ...lost.map(
      ({ number, title, by }) =>
        line`lost: #${number} ${title} is held by ${by} in another clone; what was changed here is kept, see waymark log ${number}`,
    ),
    ...reopened.map(
      ({ number, title, by }) =>
        line`in progress again: #${number} ${title} was closed here while ${by} held it in another clone; see waymark log ${number}, or take it over with waymark task claim ${number} --force`,
    ),
  ]
}

function purges({ purges: views, dry_run: isDry }: SyncReport): readonly Line[] {
  return Object.entries(PURGES).flatMap(([state, words]) => {
    const named = views.filter((view) => view.state === state).map(toNamed)
    if (named.length === 0) return []
    return [
      isDry && state === 'held' ? line`would be purged, or deleted until you confirm:` : own(words),
      ...named,
    ]
  })
}

function deletions({ deletions: views, received }: SyncReport): readonly Line[] {
  const named = views.map(toNamed)
  const rest = received.deleted - named.length
  if (named.length === 0) return []
  const more = rest > 0 ? [line`  and ${rest} more`] : []
  return [line`deleted elsewhere; waymark restore <id> brings one back:`, ...named, ...more]
}

function toNamed({ number, title }: SyncReport['deletions'][number]): Line {
  return line`  #${number} ${title}`
}

function setAside({ set_aside: { total, lines } }: SyncReport): readonly Line[] {
  const shown = lines.map(
    ({ hash, segment, reason }) =>
      line`  ${hash.slice(0, 12)} in ${segment}: ${reason.replaceAll('_', ' ')}`,
  )
  const rest = total - shown.length
  return [
    ...problem(
      total,
      'line was set aside, which breaks a limit or is not signed: waymark doctor',
      'lines were set aside, which break a limit or are not signed: waymark doctor',
    ),
    ...shown,
    ...(shown.length > 0 && rest > 0 ? [line`  and ${rest} more`] : []),
  ]
}

/** Notes that were not merged, by their Git object id. */
function notesSetAside({ notes_set_aside: notes }: SyncReport): readonly Line[] {
  return [
    ...problem(
      notes.length,
      'note exceeds a bound; it stays in Git and is not read:',
      'notes exceed a bound; they stay in Git and are not read:',
    ),
    ...notes
      .slice(0, MOST_SHOWN)
      .map(
        ({ ref, commit, hash, problem: why }) =>
          line`  ${ref} ${commit.slice(0, 12)} ${hash.slice(0, 12)} ${why}`,
      ),
  ]
}

const MOST_SHOWN = 20

/** The result of an import from a file or another store. */
export function showTaken(taken: Taken): readonly Block[] {
  const kinds = ['created', 'updated', 'deleted', 'purged', 'relations'] as const
  const leftAlone = problem(
    taken.left_alone.length,
    'entity was left as it is, because another agent holds a task: import it again later',
    'entities were left as they are, because another agent holds a task: import them again later',
  )
  return [
    joined(
      kinds.map((kind) =>
        own(kind === 'relations' ? counted(taken[kind], 'relation') : `${taken[kind]} ${kind}`),
      ),
    ),
    ...remarks(taken),
    ...leftAlone,
  ]
}

type Remarks = Pick<
  Taken,
  | 'renumbered'
  | 'changed_twice'
  | 'double_claims'
  | 'cycles'
  | 'equal_keys'
  | 'waiting'
  | 'damaged'
  | 'not_understood'
>

function remarks({
  renumbered,
  changed_twice,
  double_claims,
  cycles,
  equal_keys,
  waiting,
  damaged,
  not_understood,
}: Remarks): readonly Line[] {
  return [
    ...renumbered.map(
      ({ title, from, to }) =>
        line`renumbered: #${from} is now ${joined([line`#${to}`, title], ' ')}`,
    ),
    ...changed_twice.map(showChangedTwice),
    ...double_claims.map(showDoubleClaim),
    ...cycles.map(showCycle),
    ...equal_keys.map(showEqualKeys),
    ...problem(
      waiting,
      'change waits for others that have not arrived',
      'changes wait for others that have not arrived',
    ),
    ...problem(damaged, 'line cannot be read', 'lines cannot be read'),
    ...problem(
      not_understood.length,
      'entity needs a newer waymark',
      'entities need a newer waymark',
    ),
  ]
}

function showChangedTwice(changed: Taken['changed_twice'][number]): Line {
  const { number, title, field, contradiction } = changed
  const outcome = contradiction
    ? line`the later one stands; see waymark log ${number}, choose with waymark resolve ${number} keep|other|both`
    : line`merged by lines; see waymark log ${number}`
  return line`changed on both sides: ${field} of #${number} ${title}; ${outcome}`
}

function showCycle(tasks: Taken['cycles'][number]): Line {
  const named = tasks.map(({ number, title }) => line`#${number} ${title}`)
  return line`warning: these wait for each other now: ${joined(named)}; waymark relation delete takes one of the relations away, waymark graph cycles shows them`
}

function showEqualKeys({ key, numbers }: Taken['equal_keys'][number]): Line {
  const named = numbers.map((number) => line`#${number}`)
  return line`warning: ${joined(named, ' and ')} have the same key ${key}; give one another: waymark task update ${numbers.at(-1)} --key <key>`
}

function showDoubleClaim(claim: Taken['double_claims'][number]): Line {
  const { number, title, here, elsewhere } = claim
  const holders = [
    here.length > 0 ? line`${joined(here, ' and ')} here` : undefined,
    line`${joined(elsewhere, ' and ')} in ${own(elsewhere.length > 1 ? 'other clones' : 'another clone')}`,
  ]
  return line`claimed twice: #${number} ${title} is held by ${joined(holders, ' and by ')}; agree on one, the other runs waymark task release ${number}`
}

function entities({ entities: count }: SyncReport['sent']): Line {
  return own(counted(count, 'entity'))
}

/** A warning with a count, or nothing when the count is zero. */
export function problem(count: number, one: string, many: string): readonly Line[] {
  return count > 0 ? [line`warning: ${count} ${own(count === 1 ? one : many)}`] : []
}
