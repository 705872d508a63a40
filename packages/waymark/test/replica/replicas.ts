import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type * as z from 'zod'
import { type Context, type ContextOptions, createContext } from '../../src/core/context.ts'
import { execute } from '../../src/core/execute.ts'
import { SILENT } from '../../src/support/logger.ts'
import type { Operation } from '../../src/core/operation.ts'
import {
  flushLocalChanges,
  type MergeReport,
  emptyMergeReport,
  applyLines,
} from '../../src/sync/merge/merge.ts'
import { type LogLine, parseLine } from '../../src/sync/log/log-line.ts'
import { loadLoro } from '../../src/sync/document/loro.ts'
import { toOutgoing } from '../../src/sync/log/outgoing.ts'
import { toSnapshot } from '../../src/sync/snapshot.ts'
import { initialiseStore, openStore } from '../../src/core/store/open.ts'
import type { Store } from '../../src/core/store/store.ts'
import { copyDatabase } from '../template.ts'

export const START = Date.parse('2026-11-15T12:00:00Z')

/** A store of its own, with a clock of its own, as on another machine. */
export interface TestReplica extends AsyncDisposable {
  readonly store: Store
  readonly context: Context
  tick(milliseconds: number): void
  run<Input extends z.ZodObject, Output extends z.ZodType>(
    operation: Operation<Input, Output>,
    input: z.input<Input>,
  ): Promise<z.output<Output>>
  /** Everything it knows, as lines of a log. */
  lines(): Promise<LogLine[]>
  takeIn(lines: Iterable<LogLine>): Promise<MergeReport>
  snapshot(): Promise<string[]>
}

export async function createReplica(
  name: string,
): Promise<TestReplica & { readonly stateDir: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-replica-'))
  const stateDir = join(folder, 'state')
  await copyDatabase(stateDir)
  await initialiseStore(stateDir, { projectId: randomUUID(), now: START })
  const store = await openStore(stateDir)
  return {
    ...useStore(store, name),
    stateDir,
    [Symbol.asyncDispose]: async () => {
      await store.close()
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

export function useStore(
  store: Store,
  name: string,
  options: Pick<ContextOptions, 'code' | 'newId' | 'project' | 'coordination'> = {},
): Omit<TestReplica, keyof AsyncDisposable> {
  let now = START
  const context = createContext({
    store,
    agent: { name, surface: 'api' },
    logger: SILENT,
    now: () => now,
    ...options,
  })
  return {
    store,
    context,
    tick: (milliseconds) => {
      now += milliseconds
    },
    run: (operation, input) => execute(context, operation, input),
    lines: async () => {
      await flushLocalChanges(context, loadLoro())
      const documents = await store.replica.documents('', 100_000)
      return documents
        .flatMap((stored) => toOutgoing(loadLoro(), stored, { sinceStart: true }).lines)
        .map((line) => parseLine(line) ?? raise(line))
    },
    takeIn: async (lines) => {
      const incoming = emptyMergeReport()
      const given = {
        lines,
        isLogged: true,
        received: { via: 'sync' },
        acceptsPurges: true,
      } as const
      await applyLines(context, loadLoro(), given, incoming)
      return incoming
    },
    snapshot: async () => {
      const lines: string[] = []
      for await (const line of toSnapshot(store)) lines.push(line)
      return lines
    },
  }
}

/** Both know everything that either knew. */
export async function exchange(a: TestReplica, b: TestReplica): Promise<void> {
  await b.takeIn(await a.lines())
  await a.takeIn(await b.lines())
}

function raise(line: string): never {
  throw new Error(`not a line: ${line}`)
}
