import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import {
  getDefaultEnvironment,
  StdioClientTransport,
} from '@modelcontextprotocol/sdk/client/stdio.js'
import { Connection } from '@waymark/sqlite'
import { STOP_WORDS } from '../../packages/waymark/src/search/text/stop-words.ts'
import { estimateTokens } from '../../packages/waymark/src/support/text/token-estimate.ts'
import type { Memory } from './corpus.ts'

export interface Found {
  readonly id: string
  /** What it costs to read this result. */
  readonly tokens: number
}

/** Something that finds memories by a question, best first. */
export interface Contender {
  readonly name: string
  search(question: string): Promise<readonly Found[]>
  close(): Promise<void>
}

const RESULTS = 10

function textOf({ title, body, tags, path = '' }: Memory): string {
  return [title, body, tags.join(' '), path].filter((part) => part !== '').join('\n')
}

function toFound(memory: Memory | undefined): readonly Found[] {
  return memory === undefined ? [] : [{ id: memory.id, tokens: estimateTokens(textOf(memory)) }]
}

/** What everyone can have in twenty lines: FTS5, porter, the same stop words as ours, any of the words, bm25. */
export function startFts(memories: readonly Memory[]): Contender {
  const connection = new Connection('bm25', 'memory')
  connection.exec(`CREATE VIRTUAL TABLE memory USING fts5(text, tokenize = 'porter unicode61')`)
  connection.exec('BEGIN')
  for (const [at, memory] of memories.entries()) {
    connection.run('INSERT INTO memory (rowid, text) VALUES (?, ?)', at, textOf(memory))
  }
  connection.exec('COMMIT')
  return {
    name: 'FTS5 bm25, porter, OR',
    async search(question) {
      const words = [...new Set(question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])]
      const telling = words.filter((word) => !STOP_WORDS.has(word))
      const terms = (telling.length > 0 ? telling : words).map((word) => `"${word}"`)
      if (terms.length === 0) return []
      const rows = connection.all<{ id: number }>(
        'SELECT rowid AS id FROM memory WHERE memory MATCH ? ORDER BY bm25(memory) LIMIT ?',
        terms.join(' OR '),
        RESULTS,
      )
      return rows.flatMap(({ id }) => toFound(memories[id]))
    },
    close: async () => connection.close(),
  }
}

const MINISEARCH = 'minisearch@7.2.0'
const SERVER_MEMORY = '@modelcontextprotocol/server-memory@2026.8.31'

interface MiniSearch {
  addAll(documents: readonly object[]): void
  search(text: string, options: object): readonly { readonly id: string }[]
}

/** Fetched into a folder of their own: they are no dependencies of ours. Answers the folder of their packages. */
export function installPeers(folder: string): string {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const flags = ['--no-audit', '--no-fund', '--silent']
  execFileSync('npm', ['install', ...flags, MINISEARCH, SERVER_MEMORY], {
    cwd: folder,
    shell: process.platform === 'win32',
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return join(folder, 'node_modules')
}

const PER_CALL = 500

/** The reference server in a process of its own: an entity for each memory, found by `search_nodes`. */
export async function startServerMemory(
  packages: string,
  memories: readonly Memory[],
  file: string,
): Promise<Contender> {
  const program = join(packages, '@modelcontextprotocol', 'server-memory', 'dist', 'index.js')
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program],
      env: { ...getDefaultEnvironment(), MEMORY_FILE_PATH: file },
      stderr: 'ignore',
    }),
  )
  for (let from = 0; from < memories.length; from += PER_CALL) {
    const entities = memories.slice(from, from + PER_CALL).map((memory) => ({
      name: memory.id,
      entityType: memory.kind,
      observations: [textOf(memory)],
    }))
    await client.callTool({ name: 'create_entities', arguments: { entities } })
  }
  const byId = new Map(memories.map((memory) => [memory.id, memory]))
  return {
    name: SERVER_MEMORY.replace(/^@modelcontextprotocol\/(.+)@/, '$1 '),
    async search(query) {
      const { content } = await client.callTool({ name: 'search_nodes', arguments: { query } })
      const [{ text }] = content as [{ readonly text: string }]
      const { entities } = JSON.parse(text) as { entities: readonly { readonly name: string }[] }
      return entities.slice(0, RESULTS).flatMap(({ name }) => toFound(byId.get(name)))
    },
    close: () => client.close(),
  }
}

export async function startMiniSearch(
  packages: string,
  memories: readonly Memory[],
): Promise<Contender> {
  const program = join(packages, 'minisearch', 'dist', 'es', 'index.js')
  const loaded = (await import(pathToFileURL(program).href)) as {
    default: new (options: object) => MiniSearch
  }
  const index = new loaded.default({
    fields: ['title', 'body', 'tags', 'path'],
    processTerm: (term: string) => {
      const folded = term.toLowerCase()
      return STOP_WORDS.has(folded) ? null : folded
    },
  })
  index.addAll(memories.map((memory) => ({ ...memory, tags: memory.tags.join(' ') })))
  const byId = new Map(memories.map((memory) => [memory.id, memory]))
  return {
    name: MINISEARCH.replace('minisearch@', 'MiniSearch '),
    search: async (question) =>
      index
        .search(question, { boost: { title: 2 }, prefix: true, fuzzy: 0.2 })
        .slice(0, RESULTS)
        .flatMap(({ id }) => toFound(byId.get(id))),
    close: async () => {},
  }
}
