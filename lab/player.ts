import type { LabHost } from './host.ts'
import type { Model } from './model/service.ts'
import type { Fields, ModelRequest, OfferedTool, Reply, ToolCall } from './model/wire.ts'
import { PLANTED, type Move, type Step, type StepId } from './story.ts'

/** What became of a step, as the model saw it. */
export interface Outcome {
  readonly step: StepId
  /** What the model was given of the last call of the step; absent if no call could be made or it was never answered. */
  readonly text?: string
  /** Why no call was made. */
  readonly obstacle?: string
}

export interface SessionStart {
  /** Of Waymark's tools, how many the model was given with the first request. */
  readonly tools: number
  /** Whether the model had read the brief before it called anything. */
  readonly isBriefed: boolean
}

export interface Player {
  readonly model: Model
  /** Waits to be asked for the next steps; the model remembers what it read. */
  readonly begin: (steps: readonly Step[]) => void
  readonly outcomes: readonly Outcome[]
  /** Of the first session. */
  readonly first: SessionStart | undefined
  /** How often the model was asked to go on after it had ended its turn. */
  readonly continued: number
}

interface Options {
  readonly host: Pick<LabHost, 'search' | 'callFound'>
  /** Parameters that Waymark declares for its tools. A host that adds its own expects the model to use them. */
  readonly declared: () => ReadonlyMap<string, ReadonlySet<string>>
}

/** What a model may be told to call: the tools of Waymark have to be found among those offered. */
interface Wanted {
  readonly tool: string
  readonly args: Fields
  readonly isWaymark: boolean
}

interface Pending {
  readonly call: ToolCall
  readonly resultsBefore: number
  readonly isSearch: boolean
}

/** A model that plays a story: each request is answered with the next call; its contents do not matter. */
export function createPlayer({ host, declared }: Options): Player {
  const answers = new Map<StepId, string>()
  const outcomes: Outcome[] = []
  let first: SessionStart | undefined
  let steps: Step[] = []
  let step: Step | undefined
  let wanted: Wanted[] = []
  let pending: Pending | undefined
  let hasSearched = false
  let hasEnded = false
  let continued = 0
  let calls = 0

  function reply(request: ModelRequest, body: string): Reply {
    // Titles, summaries and other side requests have no tools.
    if (request.tools.length === 0) return END
    first ??= {
      tools: request.tools.filter(
        (tool) => /waymark/.test(fullName(tool)) || declared().has(tool.name),
      ).length,
      isBriefed: body.includes(PLANTED),
    }
    if (pending !== undefined && !settle(pending, request)) return END
    return next(request)
  }

  /** Takes the result of the pending call; false if the request does not have it. */
  function settle({ call, resultsBefore, isSearch }: Pending, { results }: ModelRequest): boolean {
    const result =
      results.find(({ id }) => id === call.id) ??
      (results.length > resultsBefore ? results.at(-1) : undefined)
    if (result === undefined) return false
    pending = undefined
    if (isSearch) return true
    wanted = wanted.slice(1)
    if (wanted.length === 0) finish({ text: result.text })
    return true
  }

  function finish(outcome: Omit<Outcome, 'step'>): void {
    if (step === undefined) return
    if (outcome.text !== undefined) answers.set(step.id, outcome.text)
    outcomes.push({ step: step.id, ...outcome })
    step = undefined
    wanted = []
  }

  function next(request: ModelRequest): Reply {
    for (;;) {
      const [action] = wanted
      if (action !== undefined) {
        const made = callOf(action, request)
        if (made !== undefined) return made
        finish({ obstacle: `${action.tool} is not offered` })
      } else {
        step = steps.shift()
        if (step === undefined) return end()
        const move = step.move(answers)
        if (move.kind === 'none') finish({ obstacle: move.reason })
        else wanted = wantedBy(move)
      }
    }
  }

  function end(): Reply {
    if (hasEnded) continued += 1
    hasEnded = true
    return END
  }

  function callOf({ tool, args, isWaymark }: Wanted, request: ModelRequest): Reply | undefined {
    const offered = findTool(request.tools, { tool, isWaymark })
    if (offered !== undefined) return make(offered, withOwn(offered, tool, args), request)
    if (!isWaymark || host.search === undefined) return undefined
    const search = hasSearched ? host.callFound?.(tool, args) : host.search(TOOLS)
    const found = request.tools.find(({ name }) => name === search?.tool)
    if (search === undefined || found === undefined) return undefined
    const isSearch = !hasSearched
    hasSearched = true
    return make(found, search.args, request, isSearch)
  }

  function make(tool: OfferedTool, args: Fields, request: ModelRequest, isSearch = false): Reply {
    calls += 1
    const call: ToolCall = { kind: 'call', id: `call_${calls}`, tool, args }
    pending = { call, resultsBefore: request.results.length, isSearch }
    return call
  }

  /** Uses what the host added to the parameters of a tool, as its models do. */
  function withOwn({ parameters }: OfferedTool, tool: string, args: Fields): Fields {
    const known = declared().get(tool)
    if (known === undefined) return args
    const own = Object.entries(parameters).filter(([name]) => !known.has(name))
    return {
      ...Object.fromEntries(own.map(([name, type]) => [name, SAMPLES[type] ?? 'x'])),
      ...args,
    }
  }

  return {
    model: reply,
    begin: (more) => {
      steps = [...more]
      pending = undefined
      hasSearched = false
      hasEnded = false
    },
    outcomes,
    get first() {
      return first
    },
    get continued() {
      return continued
    },
  }
}

const END: Reply = { kind: 'text', text: 'Done.' }
const TOOLS = ['brief', 'remember', 'recall', 'task_create', 'task_next', 'task_update'] as const
const SAMPLES: Readonly<Record<string, Fields[string]>> = { boolean: true, number: 1, integer: 1 }

function wantedBy(move: Exclude<Move, { kind: 'none' }>): Wanted[] {
  if (move.kind === 'waymark') return [{ tool: move.tool, args: move.args, isWaymark: true }]
  return move.actions.map((action) => ({ ...action, isWaymark: false }))
}

/** Hosts put the name of the server before that of the tool, with different signs between them, or leave it out. */
function findTool(
  tools: readonly OfferedTool[],
  { tool, isWaymark }: { tool: string; isWaymark: boolean },
): OfferedTool | undefined {
  const exact = tools.find(({ name, namespace }) => name === tool && namespace === undefined)
  if (!isWaymark) return exact
  const ending = new RegExp(`waymark.*[^a-z]${tool}$`)
  return tools.find((each) => ending.test(fullName(each))) ?? exact
}

function fullName({ name, namespace = '' }: OfferedTool): string {
  return `${namespace}.${name}`
}
