import { type Fields, plain, type Render } from '../cells.ts'
import { fieldsOf, listOf, page, place, section } from './page.ts'

/** How it is told what was written about code, and what is kept for the next commit. */
export const CHANGES: Readonly<Record<string, Render>> = {
  'code.annotate': renderAnnotated,
  'code.correct': renderCorrected,
  'code.repair': renderRepair,
  'code.carry': renderCarried,
  'code.context_set': renderPending,
  'code.context_show': renderPending,
  'code.note': renderPending,
  'code.context_clear': ({ cleared }) => `forgot ${plain(cleared)} notes for the next commit\n`,
  'code.hooks': renderHooks,
  'code.hooks_install': renderHooks,
  'code.hooks_uninstall': renderHooks,
  'code.hook': renderHookRun,
  'code.forget': ({ ref, forgotten }) => `forgot ${plain(forgotten)} notes of ${plain(ref)}\n`,
  'code.import': renderImported,
  'code.merge': renderMerged,
}

function renderAnnotated(output: Fields): string {
  const resolved = listOf(output['anchor_resolutions'])
    .filter(({ resolution }) => resolution !== 'exact')
    .map((one) => {
      const found =
        one['resolved_name'] === undefined ? 'not found' : `taken as ${plain(one['resolved_name'])}`
      return `- ${place(one['file'], one['requested_name'])}: ${found}`
    })
  const warnings = (output['warnings'] as string[]).map((text) => `careful: ${plain(text)}`)
  const what = `annotated ${short(output['commit'])}, ${plain(output['regions_written'])} places`
  return `${[what, ...resolved, ...warnings].join('\n')}\n`
}

function renderCorrected(output: Fields): string {
  const { correction_type, correction_text } = fieldsOf(output['correction'])
  const where = place(output['file'], output['anchor'])
  return `${plain(correction_type)}: ${where} (${short(output['commit'])}): ${plain(correction_text)}\n`
}

function renderRepair(output: Fields): string {
  const carried = listOf(output['carried']).map(
    (one) =>
      `- ${short(one['from'])} → ${short(one['to'])} (${plain(one['operation'])}, by ${plain(one['how'])})`,
  )
  const ambiguous = listOf(output['ambiguous']).map(
    (one) => `- ${short(one['commit'])}: ${(one['candidates'] as string[]).length} commits fit`,
  )
  const unmatched = listOf(output['unmatched']).map(
    (one) => `- ${short(one['commit'])}: ${(one['files'] as string[]).map(plain).join(', ')}`,
  )
  const title = output['dry_run'] === true ? 'Would be carried over' : 'Carried over'
  const told = [
    ...section(title, carried),
    ...section('Ambiguous, nothing chosen', ambiguous),
    ...section('Nothing in this history comes from', unmatched),
  ]
  return page(told.length === 0 ? ['nothing is lost'] : told)
}

function renderCarried(output: Fields): string {
  const carried = listOf(output['carried']).map(
    (one) => `- ${short(one['from'])} → ${short(one['to'])} (${plain(one['operation'])})`,
  )
  return page(carried.length === 0 ? ['nothing to carry over'] : section('Carried over', carried))
}

/** What the next commit's annotation will say. */
function renderPending(output: Fields): string {
  const facts = (['summary', 'task', 'reasoning'] as const)
    .filter((name) => output[name] !== undefined)
    .map((name) => `${name}: ${plain(output[name])}`)
  const tags = (output['tags'] as string[]).map(plain)
  const lines = [...facts, ...(tags.length === 0 ? [] : [`tags: ${tags.join(', ')}`])]
  const dependencies = listOf(output['dependencies']).map(
    (one) => `- ${place(one['file'], one['anchor'])}: ${plain(one['nature'])}`,
  )
  const notes = listOf(output['notes']).map(({ text }) => `- ${plain(text)}`)
  const told = [
    ...(lines.length === 0 ? [] : [lines.join('\n')]),
    ...section('Counts on', dependencies),
    ...section('Notes', notes),
  ]
  return page(told.length === 0 ? ['nothing was said for the next commit'] : told)
}

const HOOK_STATES: Readonly<Record<string, string>> = {
  installed: 'installed',
  not_installed: 'not installed',
  foreign: 'another program is there; call `waymark code hook` from it',
}

function renderHooks(output: Fields): string {
  return listOf(output['hooks'])
    .map(({ hook, state }) => `${plain(hook)}: ${HOOK_STATES[plain(state)] ?? plain(state)}\n`)
    .join('')
}

function renderHookRun({ annotated, carried }: Fields): string {
  const parts = [
    ...(annotated === true ? ['annotated'] : []),
    ...(carried === 0 ? [] : [`${plain(carried)} annotations taken along`]),
  ]
  return parts.length === 0 ? '' : `${parts.join(', ')}\n`
}

function renderImported(output: Fields): string {
  const would = output['dry_run'] === true ? 'would be ' : ''
  const counts = [
    `${plain(output['imported'])} ${would}imported`,
    `${plain(output['already_there'])} there already`,
    `${plain(output['unknown_commits'])} of commits that this clone does not have`,
    `${plain(output['unreadable'])} unreadable`,
  ]
  return `${counts.join(', ')}\n`
}

function renderMerged(output: Fields): string {
  const lines = listOf(output['merged']).map(
    ({ ref, changed }) => `${plain(ref)}: ${plain(changed)} changed`,
  )
  return `${(lines.length === 0 ? ['nothing to merge'] : lines).join('\n')}\n`
}

function short(commit: unknown): string {
  return plain(commit).slice(0, 12)
}
