import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createContext } from '../../packages/waymark/src/core/context.ts'
import { execute } from '../../packages/waymark/src/core/execute.ts'
import { initialiseProject, openProject } from '../../packages/waymark/src/core/project/project.ts'
import type { Store, StoreTransaction } from '../../packages/waymark/src/core/store/store.ts'
import { searchByQuery, searchByText } from '../../packages/waymark/src/search/operations.ts'
import { SILENT } from '../../packages/waymark/src/support/logger.ts'
import { estimateTokens } from '../../packages/waymark/src/support/text/token-estimate.ts'
import { serveInMemory } from '../served.ts'
import type { Contender, Found } from './contenders.ts'
import type { Memory } from './corpus.ts'
import { toEntityId } from '../../packages/waymark/src/entity/entity-id.ts'

const WRITTEN_AT = Date.parse('2026-06-01T00:00:00Z')
const PER_TRANSACTION = 500

interface Row {
  readonly number?: number | undefined
  readonly id?: string | undefined
}

interface Waymark {
  /** Through the tool `recall`. */
  readonly words: Contender
  readonly spelling: Contender
  /** As the search field of a page asks, after each key. */
  readonly typed: Contender
}

/** A project with these memories, asked in three ways. */
export async function startWaymark(
  directory: string,
  memories: readonly Memory[],
): Promise<Waymark> {
  mkdirSync(join(directory, '.waymark'), { recursive: true })
  await initialiseProject(directory)
  const project = await openProject(directory)
  const idsByName = await fill(project.store, memories)
  const client = await serveInMemory({ store: project.store })
  const toFound = (row: Row): Found => ({
    id: idsByName.get(row.number === undefined ? (row.id ?? '') : `#${row.number}`) ?? '',
    tokens: estimateTokens(JSON.stringify(row)),
  })
  const toNamed = ({ kind, id, ...row }: Row & { readonly kind: string }): Found =>
    toFound(kind === 'entity' ? row : { ...row, id: `${kind} ${id}` })
  const context = createContext({
    store: project.store,
    agent: { name: 'bench', surface: 'api' },
    logger: SILENT,
    project: { root: project.root, state: project.state },
    code: project.code,
  })
  return {
    words: {
      name: 'waymark recall',
      async search(query) {
        const answer = await client.request('tools/call', { name: 'recall', arguments: { query } })
        const { result } = answer as { result: { structuredContent: { results: Row[] } } }
        return result.structuredContent.results.map(toFound)
      },
      close: async () => {
        client.close()
        await project[Symbol.asyncDispose]()
      },
    },
    spelling: {
      name: 'waymark, with spelling similarity',
      async search(query) {
        const { results } = await execute(context, searchByQuery, {
          query,
          semantic: true,
          limit: 10,
        })
        return results.map(toNamed)
      },
      close: async () => {},
    },
    typed: {
      name: 'waymark, as you type',
      async search(query) {
        const { results } = await execute(context, searchByText, {
          query,
          as_you_type: true,
          limit: 10,
        })
        return results.map(toNamed)
      },
      close: async () => {},
    },
  }
}

/** Answers the memories by the names that `recall` gives them. */
async function fill(
  store: Store,
  memories: readonly Memory[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  const entityIds = new Map<string, string>()
  for (let from = 0; from < memories.length; from += PER_TRANSACTION) {
    await store.write(async (tx) => {
      for (const memory of memories.slice(from, from + PER_TRANSACTION)) {
        const { name, entityId } = await insert(tx, memory)
        names.set(name, memory.id)
        if (entityId !== undefined) entityIds.set(memory.id, entityId)
      }
    })
  }
  await store.write(async (tx) => {
    for (const { id, links } of memories) {
      for (const link of links) {
        const [sourceId, targetId] = [entityIds.get(id), entityIds.get(link)]
        if (sourceId === undefined || targetId === undefined) continue
        const at = { createdAt: WRITTEN_AT, createdBy: null }
        await tx.relations.insert({
          sourceId: toEntityId(sourceId),
          type: 'references',
          targetId: toEntityId(targetId),
          properties: {},
          ...at,
        })
      }
    }
  })
  return names
}

async function insert(
  tx: StoreTransaction,
  memory: Memory,
): Promise<{ name: string; entityId?: string }> {
  const { id, kind, title, body, tags, path } = memory
  const { status = kind === 'task' ? 'todo' : null } = memory
  if (kind === 'annotation' || kind === 'message') {
    await tx.search.put({
      kind,
      ref: id,
      type: kind,
      status: null,
      title,
      body: [path, body].filter((part) => part !== undefined).join('\n'),
      tags,
      author: null,
      createdAt: WRITTEN_AT,
      updatedAt: WRITTEN_AT,
    })
    return { name: `${kind} ${id}` }
  }
  const isPlain = kind === 'decision' || kind === 'task' || kind === 'note'
  const row = await tx.entities.insert({
    id: toEntityId(crypto.randomUUID()),
    type: isPlain ? kind : 'note',
    title,
    content: body,
    tags,
    status,
    properties: {
      ...(status !== null && { status }),
      ...(kind === 'task' && { priority: 500 }),
      ...(!isPlain && { note_type: kind }),
      ...(path !== undefined && { path }),
    },
    createdAt: WRITTEN_AT,
    createdBy: null,
  })
  return { name: `#${row.number}`, entityId: row.id }
}
