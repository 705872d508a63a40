import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTestRepository, type OwnedRepository } from '../../git/repository.ts'
import { CLIENT } from '../../operations/code/code-setup.ts'

export const FILE = 'src/client.ts'

/** A record as another tool writes it: pretty-printed, with git's own command. */
export function addNote(
  test: OwnedRepository,
  commit: string,
  regions: readonly object[],
  ref = 'ultragit',
): void {
  const note = {
    $schema: 'ultragit/v1',
    commit,
    timestamp: '2026-01-01T00:00:00Z',
    summary: 'What an agent said of this commit',
    context_level: 'enhanced',
    regions,
    cross_cutting: [],
    provenance: { operation: 'initial', derived_from: [], original_annotations_preserved: false },
  }
  const file = join(test.directory, '.git', 'note.json')
  writeFileSync(file, JSON.stringify(note, null, 2))
  test.git('notes', '--ref', ref, 'add', '-f', '-F', file, commit)
}

export const CONNECT = {
  file: FILE,
  ast_anchor: { unit_type: 'method', name: 'Client::connect' },
  lines: { start: 6, end: 8 },
  intent: 'Dial with bounded retries',
  constraints: [{ text: 'at most ten tries', source: 'author' }],
}

/** Two commits on one function, an annotation on each, and somebody who depends on it. */
export function annotated(): OwnedRepository & { readonly commits: readonly [string, string] } {
  const test = createTestRepository()
  const one = test.commit('one', { [FILE]: CLIENT, 'app.ts': 'export function start() {}\n' })
  addNote(test, one, [CONNECT])
  const two = test.commit('two', { [FILE]: CLIENT.replace('retries)', 'retries + 1)') })
  addNote(test, two, [
    { ...CONNECT, intent: 'One more try' },
    { file: FILE, ast_anchor: { unit_type: 'function', name: 'parse' }, intent: 'Numbers only' },
    {
      file: 'app.ts',
      ast_anchor: { unit_type: 'function', name: 'start' },
      intent: 'Starts it all',
      semantic_dependencies: [{ file: FILE, anchor: 'Client::connect', nature: 'never throws' }],
    },
  ])
  return { ...test, commits: [one, two] }
}
