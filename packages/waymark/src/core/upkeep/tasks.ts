import type { Arriving } from '../../agent/join.ts'
import type { NotesToCopy } from '../../annotation/notes/copy-notes.ts'
import type { SeenBrief } from '../../brief/changes.ts'
import type { NewVectors } from '../../search/semantic/semantic-index.ts'
import type { LeaseNotice } from '../../task/lease/notices.ts'
import type { Context, ReadContext } from '../context.ts'
import type { Failure } from '../error.ts'
import { touchCaller } from './caller-seen.ts'
import type { AgentId } from '../../agent/agent.ts'

/*
 * Everything that a read may cause to be written, and what follows the writes of others. An operation with `effect: 'read'` has a store without write methods;
 * it names one of these tasks, and `upkeep.ts` carries it out with the store of the call. In read-only mode records are
 * dropped and derived tables are made in memory. The code of a task is loaded when it is due.
 */

/** What each record is about. */
export interface Records {
  /** Id of an agent whose `seenAt` is older than a minute. */
  readonly callerSeen: AgentId
  /** An agent that joins by reading its inbox or its brief. */
  readonly readerJoined: Arriving
  /** Up to which event an agent has seen a brief. */
  readonly briefCursor: SeenBrief
  /** Leases have run out: they end, and their events are appended. */
  readonly expiredLeases: null
  /** Notices about ended leases that their former holder has got. */
  readonly leaseNotices: readonly LeaseNotice[]
  /** Leases that ended here, and tasks that were closed, which other clones do not know yet. */
  readonly endedLeases: null
  /** Changes that were made here become part of the documents that are sent to others. */
  readonly gatheredChanges: null
  /** Vectors that a semantic search has computed. */
  readonly vectors: NewVectors
}

type RecordTasks = {
  readonly [Name in keyof Records]: (context: Context, about: Records[Name]) => Promise<void>
}

/**
 * Carried out after the answer is made. `expiredLeases` and `readerJoined` append events that the answer counts, so the
 * reads that cause them call `settle` before they read events.
 */
export const RECORDS: RecordTasks = {
  callerSeen: touchCaller,
  async readerJoined(context, about) {
    const { joinReader } = await import('../../agent/acting-agent.ts')
    await joinReader(context, about)
  },
  async briefCursor(context, about) {
    const { saveBriefCursor } = await import('../../brief/changes.ts')
    await saveBriefCursor(context, about)
  },
  async expiredLeases(context) {
    const { endExpiredLeases } = await import('../../task/lease/expire-leases.ts')
    await endExpiredLeases(context)
  },
  async leaseNotices(context, about) {
    const { removeNotices } = await import('../../task/lease/notices.ts')
    await removeNotices(context, about)
  },
  async endedLeases(context) {
    const { publishEnds } = await import('../../task/lease/shared/publish.ts')
    await publishEnds(context)
  },
  async gatheredChanges(context) {
    const { loadLoro } = await import('../../sync/document/loro.ts')
    const { flushLocalChanges } = await import('../../sync/merge/merge.ts')
    await flushLocalChanges(context, loadLoro())
  },
  async vectors({ store, semantic }, about) {
    await semantic.save(store, about)
  },
}

/** Tables that are derived from other data: what their update needs to know, and what it returns. */
export interface Derived {
  /** The full-text index, which was made by the rules of another version. */
  readonly searchIndex: { readonly about: null; readonly result: void }
  /** The copy of the Git notes. The result says which refs are damaged. */
  readonly notes: { readonly about: NotesToCopy; readonly result: readonly Failure[] }
}

type DerivedTables = {
  readonly [Name in keyof Derived]: {
    /** The tables that an update reads and writes. */
    readonly tables: readonly string[]
    /** A copy in memory is used while this stays the same. */
    state(context: ReadContext, about: Derived[Name]['about']): Promise<string>
    /** A no-op if the tables are up to date. */
    update(context: Context, about: Derived[Name]['about']): Promise<Derived[Name]['result']>
  }
}

/** Brought up to date before the answer, which is read from them. */
export const DERIVED: DerivedTables = {
  searchIndex: {
    tables: ['entity', 'document', 'vector', 'embedding_progress', 'counter'],
    state: async ({ store }) => String(await store.version()),
    async update(context) {
      const { updateIndex } = await import('../../search/upkeep.ts')
      await updateIndex(context)
    },
  },
  notes: {
    tables: [
      'annotation_source',
      'annotation_note',
      'annotation',
      'annotation_place',
      'annotation_link',
    ],
    // A copy follows the refs by itself, until another process replaces what it was made from.
    state: async ({ store }, { refs }) =>
      JSON.stringify(await Promise.all(refs.map((ref) => store.annotations.tipOf(ref)))),
    async update(context, about) {
      const { copyAllNotes } = await import('../../annotation/notes/copy-notes.ts')
      return await copyAllNotes(context, about)
    },
  },
}
