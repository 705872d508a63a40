import picocolors from 'picocolors'
import { describeTrust } from '../domain/trust-text.ts'
import {
  type Column,
  displayId,
  type Fields,
  isFields,
  label,
  multiline,
  plain,
  type Style,
  table,
} from './cells.ts'

/** What searching, the graph, prompts and snapshots answer, as a person reads it; undefined if it is none of that. */
export async function renderKnowledge(output: Fields, style: Style): Promise<string | undefined> {
  if (Array.isArray(output['results']) && 'mode' in output) return renderSearch(output, style)
  if (Array.isArray(output['results']) && 'succeeded' in output) return renderBatch(output)
  if (Array.isArray(output['nodes']) && isFields(output['entity'])) {
    return await renderGraph(output, style)
  }
  if (Array.isArray(output['path']) && 'length' in output) return renderPath(output)
  if (Array.isArray(output['orphans'])) return await renderOrphans(output, style)
  if (Array.isArray(output['cycles'])) return renderCycles(output)
  if (isFields(output['old']) && isFields(output['new'])) return renderSuperseded(output)
  if (Array.isArray(output['prompts'])) return await renderPrompts(output, style)
  if (Array.isArray(output['files_generated'])) return renderSnapshot(output)
  if (isFields(output['entity_counts'])) return renderStats(output)
  if (typeof output['state'] === 'string' && 'path' in output) return renderHook(output)
  if ('words' in output && 'pending' in output) return renderCache(output)
  // A filled-in prompt is meant for the next program, as it is.
  if (typeof output['text'] === 'string' && typeof output['name'] === 'string') {
    return `${output['text'].replace(/\n$/, '')}\n`
  }
  return undefined
}

function renderSearch(output: Fields, style: Style): string {
  const results = output['results'] as Fields[]
  const { dim } = picocolors.createColors(style.colors)
  const notes = searchNotes(output)
  if (results.length === 0) return [...notes, 'nothing found', ''].join('\n')
  const shown = results.map((result) => renderResult(result, style))
  const total = `${plain(output['total'])}${output['total_is_minimum'] === true ? '+' : ''}`
  const rest =
    output['next_cursor'] === undefined
      ? []
      : [dim(`${results.length} of ${total}; go on with --cursor ${plain(output['next_cursor'])}`)]
  return `${[...notes.map(dim), ...shown, ...rest].join('\n')}\n`
}

function searchNotes(output: Fields): readonly string[] {
  const corrected = Object.entries((output['corrected'] ?? {}) as Record<string, string[]>)
  return [
    ...corrected.map(
      ([typed, meant]) =>
        `nothing has ${plain(typed)}; searched for ${meant.map(plain).join(', ')}`,
    ),
    ...(output['note'] === undefined ? [] : [plain(output['note'])]),
    ...(output['model'] === undefined ? [] : [`meaning judged by ${plain(output['model'])}`]),
  ]
}

function renderResult(result: Fields, style: Style): string {
  const { bold, dim } = picocolors.createColors(style.colors)
  const name = result['number'] === undefined ? plain(result['kind']) : displayId(result)
  const { type, note_type, status, created_by, trust } = result
  const worth = describeTrust({ ...(trust as Fields), by: created_by as string | undefined })
  const facts = [type, note_type, status, ...worth].filter(Boolean).map(plain).join(', ')
  const head = `${name} ${bold(plain(result['title']))} ${dim(`[${facts}]`)}`
  const snippet = plain(result['snippet'])
  if (snippet === '') return head
  const marked = snippet.replace(/<mark>(.*?)<\/mark>/g, (_, hit: string) => bold(hit))
  return style.interactive ? `${head}\n  ${marked}` : `${head}\t${marked}`
}

function renderBatch(output: Fields): string {
  const lines = (output['results'] as Fields[]).map(({ index, success, id, error }) =>
    success === true
      ? `${plain(index)} ok ${plain(id)}`
      : `${plain(index)} failed: ${plain((error as Fields)['message'])}`,
  )
  const { succeeded, failed } = output
  return `${[...lines, `${plain(succeeded)} done, ${plain(failed)} failed`].join('\n')}\n`
}

const NODE_COLUMNS: readonly Column[] = [
  { head: 'AWAY', value: (row) => plain(row['depth']) },
  { head: 'ID', value: displayId },
  { head: 'TYPE', value: (row) => plain(row['type']) },
  { head: 'STATUS', value: (row) => plain(row['status']) },
  { head: 'TITLE', value: (row) => plain(row['title']) },
]

async function renderGraph(output: Fields, style: Style): Promise<string> {
  const nodes = output['nodes'] as Fields[]
  const center = label(output['entity'] as Fields)
  if (nodes.length === 0) return `${center}: nothing there\n`
  const edges = (output['edges'] as Fields[]).map(
    ({ source, type, target }) => `${plain(source)} ${plain(type)} ${plain(target)}`,
  )
  const more = output['truncated'] === true ? 'there is more; raise --budget\n' : ''
  return `${center}\n${await table(nodes, NODE_COLUMNS, style)}${edges.join('\n')}\n${more}`
}

function renderPath(output: Fields): string {
  const path = output['path'] as Fields[]
  if (path.length === 0) return 'no path\n'
  const relations = output['relations'] as Fields[]
  return path
    .map((entity, at) => {
      const relation = relations[at]
      if (relation === undefined) return `${label(entity)}\n`
      const type = plain(relation['type'])
      const arrow = relation['source'] === entity['number'] ? `${type} →` : `← ${type}`
      return `${label(entity)}\n  ${arrow}\n`
    })
    .join('')
}

const LABEL_COLUMNS: readonly Column[] = [
  { head: 'ID', value: displayId },
  { head: 'TYPE', value: (row) => plain(row['type']) },
  { head: 'TITLE', value: (row) => plain(row['title']) },
]

async function renderOrphans(output: Fields, style: Style): Promise<string> {
  const orphans = output['orphans'] as Fields[]
  if (orphans.length === 0) return 'everything is related to something\n'
  const rest =
    output['next_offset'] === undefined
      ? ''
      : `${orphans.length} of ${plain(output['total'])}; go on with --offset ${plain(output['next_offset'])}\n`
  return `${await table(orphans, LABEL_COLUMNS, style)}${rest}`
}

function renderCycles(output: Fields): string {
  const cycles = output['cycles'] as Fields[][]
  if (cycles.length === 0) return 'no circles\n'
  return cycles
    .map((cycle) => `${[...cycle, ...cycle.slice(0, 1)].map(label).join(' → ')}\n`)
    .join('')
}

function renderSuperseded(output: Fields): string {
  const verb = output['changed'] === false ? 'was superseded already by' : 'is superseded by'
  return `${label(output['old'] as Fields)} ${verb} ${label(output['new'] as Fields)}\n`
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

function renderSnapshot(output: Fields): string {
  const written = (output['files_generated'] as string[]).map((path) => `  ${plain(path)}`)
  const removed = (output['files_removed'] as string[]).map((path) => `- ${plain(path)}`)
  const folder = `${plain(output['file_count'])} files in ${plain(output['output_dir'])}`
  if (output['changed'] === false) return `up to date: ${folder}\n`
  const verb = output['dry_run'] === true ? 'would be written' : 'written'
  return `${[...written, ...removed, `${verb}: ${folder}`].join('\n')}\n`
}

function renderStats(output: Fields): string {
  const counts = Object.entries(output['entity_counts'] as Fields).map(
    ([type, count]) => `${plain(count)} ${type}${count === 1 ? '' : 's'}`,
  )
  const last = output['last_modified'] === null ? 'never' : plain(output['last_modified'])
  return `${counts.join(', ')}\n${plain(output['relation_count'])} relations\nlast change: ${last}\n`
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

function renderCache(output: Fields): string {
  const { documents, words, model, vectors, pending } = output
  return multiline(
    `${plain(documents)} texts, ${plain(words)} different words
index: ${output['is_current'] === true ? 'up to date' : 'made anew with the next search'}
meaning: ${plain(model)}, ${plain(vectors)} texts seen, ${plain(pending)} waiting
`,
  )
}
