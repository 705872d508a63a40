import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Context, createContext } from '../../core/context.ts'
import { Failure } from '../../core/error.ts'
import { runWith } from '../../core/execute.ts'
import { printForAgent } from '../../core/show.ts'
import type { DialectTool, ToolCall } from '../../dialects/dialect.ts'
import { collectGarbage } from '../../support/heap.ts'
import { noUpkeep } from '../../core/upkeep/upkeep.ts'
import { SILENT } from '../../support/logger.ts'
import type { McpOptions } from './mcp-call.ts'

/** After a client has listed the tools, its model thinks for seconds; one that calls at once is not held up. */
const AFTER_MS = 100

export interface Prefetch {
  /** The client may call a tool soon. */
  expectCall(): void
  /** A call is here. */
  cancel(): void
}

/**
 * While a model reads the list of tools, loads their code and makes the reads that a session starts with: that compiles
 * the code and prepares the statements. They are made for no agent and write nothing.
 */
export function createPrefetch(
  options: McpOptions,
  findTool: (name: string) => Promise<DialectTool | undefined>,
): Prefetch {
  const isAlone = options.hostEnv !== undefined && options.home === undefined
  let isOver = !isAlone || options.remote !== undefined
  let timer: NodeJS.Timeout | undefined
  const run = async (): Promise<void> => {
    for (const dialect of options.dialects) {
      for (const [name, args] of dialect.firstCalls ?? []) {
        await nextTurn()
        const tool = isOver ? undefined : await findTool(name)
        if (isOver || tool === undefined) continue
        await rehearse(toContext(options), tool.toCall(args))
      }
    }
    for (const { name } of options.dialects.flatMap(({ listed }) => listed)) {
      await nextTurn()
      if (!isOver) await findTool(name)
    }
    await nextTurn()
    if (!isOver) await prepareCode(options)
    await nextTurn()
    // Opens the connection; a transaction without changes is not written.
    if (!isOver && options.access?.readOnly !== true) await options.store.write(async () => {})
    await nextTurn()
    // Sources and what loading them left behind; otherwise the first call would be the one to collect it.
    if (!isOver) collectGarbage()
  }
  return {
    expectCall() {
      if (isOver || timer !== undefined) return
      timer = setTimeout(() => {
        // What cannot be read now, the call that needs it reports.
        void run().catch((error: unknown) => {
          if (!(error instanceof Failure)) options.logger.debug('prefetch failed', { error })
        })
      }, AFTER_MS).unref()
    },
    cancel() {
      isOver = true
      clearTimeout(timer)
    },
  }
}

/** Where code was annotated, questions about code come: loads what reads it, and starts git and a thread with the parser. */
async function prepareCode({ store, code }: McpOptions): Promise<void> {
  const path = await store.annotations.lastFile()
  if (code === undefined || path === undefined) return
  const repository = await code.repository()
  repository.outlines.prepare(path)
  await Promise.all([repository.settings.read(code), repository.head()])
}

/** Makes a call up to its answer. One that fails has done the same. */
async function rehearse(context: Context, { operation, input, toAnswer }: ToolCall): Promise<void> {
  try {
    const found = await runWith(context, operation, operation.input.parse(input))
    const { text } = toAnswer(operation.output.parse(found))
    if (text !== undefined) printForAgent(text)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
  }
}

function toContext({ store, semantic, config, code, project }: McpOptions): Context {
  const { coordination } = config
  const agent = { name: null, surface: 'mcp', joins: false } as const
  const context = createContext({
    store,
    logger: SILENT,
    agent,
    coordination,
    access: { readOnly: true },
    ...(semantic !== undefined && { semantic }),
    ...(code !== undefined && { code }),
    ...(project !== undefined && { project }),
  })
  return { ...context, upkeep: noUpkeep(store.reader) }
}
