import { type Fields, plain, type Render } from '../surfaces/terminal/cells.ts'

/** How exchange with others, checks, copies and taking back are read. */
export const RENDERERS: Readonly<Record<string, Render>> = {
  'sync.run': renderSync,
  'sync.hook': renderSyncHooks,
  'sync.unhook': renderSyncHooks,
  'history.undo': renderUndo,
  'store.check': renderChecks,
  'store.promote': renderTaken,
  'backup.export': renderBackup,
  'backup.import': renderTaken,
}

function renderBackup(output: Fields): string {
  const leftOut = problem(
    output['artifacts_left_out'],
    'artifacts are not in it: only a copy of the whole state folder has them',
  )
  const what = `${plain(output['entities'])} entities in ${plain(output['path'])}, ${plain(output['bytes'])} bytes`
  const unreadable = problem(
    (output['unreadable'] as string[]).length,
    'entities came without their past, which is damaged here: waymark doctor',
  )
  return `${[what, ...leftOut, ...unreadable].join('\n')}\n`
}

function renderSync(output: Fields): string {
  const received = output['received'] as Fields
  const sent = output['sent'] as Fields
  const came = Object.entries(received).filter(([, count]) => count !== 0)
  const isDry = output['dry_run'] === true
  const arrived = came
    .map(([what, count]) => `${plain(count)} ${RECEIVED[what] ?? what}`)
    .join(', ')
  const exchanged =
    output['remote'] === undefined
      ? [
          ...(arrived === '' ? [] : [`${isDry ? 'would be taken in' : 'taken in'}: ${arrived}`]),
          `${isDry ? 'would be written' : 'written'} to the log of this clone: ${entities(sent)}; it has no remote`,
        ]
      : [
          `${isDry ? 'would come' : 'came'} from ${plain(output['remote'])}: ${arrived === '' ? 'nothing' : arrived}`,
          `${isDry ? 'would go' : 'went'}: ${entities(sent)}${sent['pushed'] === true || isDry ? '' : ', not pushed'}`,
        ]
  const damaged = problem(
    (output['unreadable'] as string[]).length,
    'entities are damaged here and were not sent: waymark doctor',
  )
  const gone = [...purges(output, isDry), ...deletions(output)]
  const aside = [...setAside(output), ...notesSetAside(output)]
  const notice = output['notice'] === undefined ? [] : [`warning: ${plain(output['notice'])}`]
  const lines = [...exchanged, ...gone, ...remarks(output), ...damaged, ...aside, ...notice]
  return `${lines.join('\n')}\n`
}

/** Where another word says more than the name of the count. */
const RECEIVED: Readonly<Record<string, string>> = { purged: 'to be purged' }

const PURGES = {
  deleted:
    'purged elsewhere, deleted here; waymark purge <id> erases it, waymark restore <id> keeps it:',
  held: 'purged elsewhere, untouched here because there are so many; waymark sync --accept-purges erases them:',
  purged: 'purged:',
} as const

function purges(output: Fields, isDry: boolean): readonly string[] {
  const views = output['purges'] as Fields[]
  return Object.entries(PURGES).flatMap(([state, words]) => {
    const named = views.filter((view) => view['state'] === state).map(toNamed)
    if (named.length === 0) return []
    return [
      isDry && state === 'held' ? 'would be purged, or deleted until you confirm:' : words,
      ...named,
    ]
  })
}

function deletions(output: Fields): readonly string[] {
  const named = (output['deletions'] as Fields[]).map(toNamed)
  const rest = Number((output['received'] as Fields)['deleted']) - named.length
  if (named.length === 0) return []
  const more = rest > 0 ? [`  and ${rest} more`] : []
  return ['deleted elsewhere; waymark restore <id> brings one back:', ...named, ...more]
}

function toNamed({ number, title }: Fields): string {
  return `  ${plain(number)} ${plain(title)}`
}

function setAside(output: Fields): readonly string[] {
  const { total, lines } = output['set_aside'] as Fields
  const shown = (lines as Fields[]).map(
    ({ hash, segment, reason }) =>
      `  ${plain(hash).slice(0, 12)} in ${plain(segment)}: ${plain(reason).replaceAll('_', ' ')}`,
  )
  const rest = Number(total) - shown.length
  return [
    ...problem(
      total,
      'lines were set aside, which break a limit or are not signed: waymark doctor',
    ),
    ...shown,
    ...(shown.length > 0 && rest > 0 ? [`  and ${rest} more`] : []),
  ]
}

/** Notes that were not taken in, by the hash under which Git has them. */
function notesSetAside(output: Fields): readonly string[] {
  const notes = output['notes_set_aside'] as Fields[]
  return [
    ...problem(notes.length, 'notes exceed a bound; they stay in Git and are not read:'),
    ...notes
      .slice(0, MOST_SHOWN)
      .map(({ ref, commit, hash, problem: why }) =>
        [plain(ref), plain(commit).slice(0, 12), plain(hash).slice(0, 12), plain(why)].join(' '),
      )
      .map((line) => `  ${line}`),
  ]
}

const MOST_SHOWN = 20

/** What came in from a file or another store. */
function renderTaken(output: Fields): string {
  const kinds = ['created', 'updated', 'deleted', 'purged', 'relations']
  const counts = kinds.map((kind) => `${plain(output[kind])} ${kind}`).join(', ')
  const leftAlone = problem(
    (output['left_alone'] as string[]).length,
    'entities were left as they are, because another agent holds a task: import them again later',
  )
  return `${[counts, ...remarks(output), ...leftAlone].join('\n')}\n`
}

/** What whoever took it in has to know of it besides. */
function remarks(output: Fields): readonly string[] {
  const renumbered = (output['renumbered'] as Fields[]).map(
    ({ id, from, to }) =>
      `renumbered: ${plain(id).slice(0, 7)} from ${plain(from)} to ${plain(to)}`,
  )
  return [
    ...renumbered,
    ...problem(output['waiting'], 'changes wait for others that have not arrived'),
    ...problem(output['damaged'], 'lines cannot be read'),
    ...problem((output['not_understood'] as string[]).length, 'entities need a newer waymark'),
  ]
}

function renderSyncHooks({ installed, remote }: Fields): string {
  const hooks = (installed as string[]).map(plain).join(', ')
  if (hooks === '') return 'no hooks exchange knowledge\n'
  const place = remote === undefined ? '' : ` (with ${plain(remote)})`
  return `hooks that exchange knowledge: ${hooks}${place}\n`
}

function entities(sent: Fields): string {
  return sent['entities'] === 1 ? '1 entity' : `${plain(sent['entities'])} entities`
}

function problem(count: unknown, words: string): readonly string[] {
  return Number(count) > 0 ? [`warning: ${plain(count)} ${words}`] : []
}

function renderUndo(output: Fields): string {
  const entities = output['entities'] as Fields[]
  if (entities.length === 0) return `nothing by ${plain(output['author'])} to take back\n`
  const would = output['dry_run'] === true ? 'would be ' : ''
  const lines = entities.map(({ number, title, outcome, fields, kept }) => {
    const back = (fields as string[]).map(plain).join(', ')
    const others = (kept as string[]).map(plain).join(', ')
    const parts = [
      `${would}${plain(outcome)}: ${plain(number)} ${plain(title)}`,
      ...(back === '' ? [] : [`  back: ${back}`]),
      ...(others === '' ? [] : [`  changed or held by others since, so kept: ${others}`]),
    ]
    return parts.join('\n')
  })
  return `${lines.join('\n')}\n`
}

function renderChecks(output: Fields): string {
  const lines = (output['checks'] as Fields[]).flatMap(({ name, status, message, fix }) => [
    `${plain(status)}: ${plain(name)}: ${plain(message)}`,
    ...(fix === undefined ? [] : [`  ${plain(fix)}`]),
  ])
  return `${lines.join('\n')}\n`
}
