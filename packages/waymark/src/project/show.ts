import {
  type Column,
  countOf,
  type Fields,
  multiline,
  plain,
  type Render,
  type Style,
  table,
} from '../surfaces/terminal/cells.ts'

/** How the project as a whole is read, and what is made of all of it. */
export const RENDERERS: Readonly<Record<string, Render>> = {
  'project.status': renderStatus,
  'project.stats': renderStats,
  'project.ping': ({ answer }) => `${plain(answer)}\n`,
  // A schema is read as what it is.
  'project.schema': (output) => `${JSON.stringify(output, null, 2)}\n`,
  'cache.stats': renderCache,
  'cache.rebuild': renderCache,
  'prompt.list': renderPrompts,
  'prompt.render': renderPrompt,
  'snapshot.create': renderSnapshot,
  'hook.status': renderHook,
  'hook.install': renderHook,
  'hook.uninstall': renderHook,
  'spec.export': ({ text }) => String(text),
}

function renderStatus(output: Fields): string {
  const tasks = Object.entries(output['tasks'] as Fields)
    .filter(([, count]) => count !== 0)
    .map(([status, count]) => `${plain(count)} ${status}`)
  const lines = [
    plain(output['name']),
    `tasks: ${tasks.length === 0 ? 'none' : tasks.join(', ')}`,
    `ready: ${plain(output['ready'])} (${plain(output['claimable'])} to be had), blocked: ${plain(output['blocked'])}`,
    `agents: ${plain(output['agents_online'])}, holding ${countOf(output['active_leases'], 'task')}`,
    ...(output['suggestions'] as string[]).map((text) => `→ ${plain(text)}`),
  ]
  return `${lines.join('\n')}\n`
}

function renderStats(output: Fields): string {
  const counts = Object.entries(output['entity_counts'] as Fields).map(
    ([type, count]) => `${plain(count)} ${type}${count === 1 ? '' : 's'}`,
  )
  const last = output['last_modified'] === null ? 'never' : plain(output['last_modified'])
  return `${counts.join(', ')}\n${plain(output['relation_count'])} relations\nlast change: ${last}\n`
}

function renderCache(output: Fields): string {
  const { documents, words, model, vectors, pending } = output
  return multiline(
    `${plain(documents)} texts, ${plain(words)} different words
index: ${output['is_current'] === true ? 'up to date' : 'made anew with the next search'}
meaning: ${plain(model)}, ${plain(vectors)} texts seen, ${plain(pending)} waiting
`,
  )
}

const PROMPT_COLUMNS: readonly Column[] = [
  { head: 'NAME', value: (row) => plain(row['name']) },
  {
    head: 'ARGUMENTS',
    value: (row) =>
      ((row['arguments'] ?? []) as Fields[])
        .map(({ name, required }) => `${plain(name)}${required === true ? '' : '?'}`)
        .join(', '),
  },
  { head: 'DESCRIPTION', value: (row) => plain(row['description'] ?? row['title']) },
]

async function renderPrompts(output: Fields, style: Style): Promise<string> {
  return await table(output['prompts'] as Fields[], PROMPT_COLUMNS, style)
}

/** A filled-in prompt is meant for the next program, as it is. */
function renderPrompt({ text }: Fields): string {
  return `${String(text).replace(/\n$/, '')}\n`
}

function renderSnapshot(output: Fields): string {
  const written = (output['files_generated'] as string[]).map((path) => `  ${plain(path)}`)
  const removed = (output['files_removed'] as string[]).map((path) => `- ${plain(path)}`)
  const folder = `${plain(output['file_count'])} files in ${plain(output['output_dir'])}`
  if (output['changed'] === false) return `up to date: ${folder}\n`
  const verb = output['dry_run'] === true ? 'would be written' : 'written'
  return `${[...written, ...removed, `${verb}: ${folder}`].join('\n')}\n`
}

const HOOK_STATES: Readonly<Record<string, string>> = {
  installed: 'Installed',
  not_installed: 'Not installed',
  foreign: 'Custom hook exists',
}

function renderHook(output: Fields): string {
  const state = HOOK_STATES[plain(output['state'])] ?? plain(output['state'])
  const backup =
    output['backup'] === undefined ? '' : `kept and run first: ${plain(output['backup'])}\n`
  return `${state}: ${plain(output['path'])}\n${backup}`
}
