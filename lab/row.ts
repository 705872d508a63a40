import { estimateTokens } from '../packages/waymark/src/support/text/token-estimate.ts'
import type { LabHost } from './host.ts'
import {
  callsIn,
  type Handshake,
  hooksIn,
  type PipedCall,
  type Recording,
} from './pipe/recording.ts'
import type { Outcome, SessionStart } from './player.ts'
import { hasHidden, RESERVED, type StepId } from './story.ts'

/** What became of a step. */
export interface StepResult {
  readonly step: StepId
  /** `stopped`: a hook of ours kept an edit from being made. */
  readonly state: 'ok' | 'refused by Waymark' | 'refused by the host' | 'not called' | 'stopped'
  readonly reason?: string
  /** Of what the model was given, by the estimate that Waymark uses for its budgets. */
  readonly tokens?: number
  /** Which parts of the answer the host passed on. */
  readonly form?: 'text' | 'data' | 'both'
  /** Whether characters that a reader does not see reached the model. */
  readonly isHidden?: boolean
  /** Of an edit of a reserved file that was made: whether an answer had told of the reservation. */
  readonly isTold?: boolean
}

/** One host in the table. */
export interface Row {
  readonly id: string
  readonly title: string
  readonly version: string
  readonly connectedBy: 'waymark install' | 'by hand'
  readonly handshake?: Handshake
  readonly first?: SessionStart
  readonly steps: readonly StepResult[]
  readonly hooks: readonly string[]
  /** How often the host asked the model to go on after its turn. */
  readonly continued: number
  readonly uninstall: string
  readonly notes: readonly string[]
  /** With what was recorded, if it was kept. */
  readonly folder?: string
}

/** The row of a host that could not be played. */
export function emptyRow(host: LabHost, reason: string): Row {
  return {
    id: host.id,
    title: host.title,
    version: versionOf(host),
    connectedBy: 'waymark install',
    steps: [],
    hooks: [],
    continued: 0,
    uninstall: '–',
    notes: [reason],
  }
}

export function versionOf({ packages: [main = ''] }: LabHost): string {
  return main.slice(main.lastIndexOf('@') + 1)
}

export const STEPS: readonly StepId[] = [
  'brief',
  'remember',
  'recall',
  'task_create',
  'task_next',
  'edit',
  'free_edit',
  'complete',
]

interface Evidence {
  readonly outcomes: readonly Outcome[]
  readonly recordings: readonly Recording[]
  /** The files that were changed. */
  readonly edited: ReadonlySet<StepId>
}

/** Compares what the model saw with what went over the pipe. */
export function judgeSteps({ outcomes, recordings, edited }: Evidence): StepResult[] {
  const calls = new Map(callsIn(recordings).map((call) => [call.tool, call]))
  const isHooked = hooksIn(recordings).some(
    ({ event, isHeard }) => BEFORE_EDIT.test(event) && isHeard,
  )
  return STEPS.map((step) => {
    const outcome = outcomes.find((each) => each.step === step)
    if (outcome?.text === undefined) {
      return { step, state: 'not called', reason: outcome?.obstacle ?? 'the host ended before' }
    }
    const { text } = outcome
    if (edited.has(step))
      return { step, state: 'ok', ...(step === 'edit' && { isTold: isTold(outcomes) }) }
    if (step === 'edit' || step === 'free_edit') {
      return { step, state: isHooked ? 'stopped' : 'refused by the host', reason: toLine(text) }
    }
    const call = calls.get(step === 'complete' ? 'task_update' : step)
    const tokens = estimateTokens(text)
    if (call === undefined) {
      return { step, state: 'refused by the host', reason: toLine(text), tokens }
    }
    if (call.refusal !== undefined) {
      return { step, state: 'refused by Waymark', reason: toLine(call.refusal), tokens }
    }
    const form = formOf(text, call)
    return { step, state: 'ok', tokens, isHidden: hasHidden(text), ...(form && { form }) }
  })
}

/** Whether the model had read that the file is reserved before it changed it. */
function isTold(outcomes: readonly Outcome[]): boolean {
  return outcomes.some(
    ({ step, text }) => step === 'brief' && text?.includes(RESERVED.relative) === true,
  )
}

/** What hosts and we call a hook that may stop an edit. */
const BEFORE_EDIT = /^(?!.*(?:post|after)).*(?:edit|tool)/i

/** Looks for all lines of the text and the first field of the data, both maybe within JSON. */
function formOf(seen: string, { text, fields }: PipedCall): StepResult['form'] {
  const plain = seen.replaceAll('\\', '')
  const [field = ''] = fields
  const hasText =
    text !== '' && text.split('\n').every((line) => plain.includes(line.replaceAll('\\', '')))
  const hasData = field !== '' && new RegExp(`\\\\*"${field}\\\\*":`).test(seen)
  if (hasText && hasData) return 'both'
  if (hasText) return 'text'
  return hasData ? 'data' : undefined
}

export function toLine(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  return line.length > LONGEST_REASON ? `${line.slice(0, LONGEST_REASON - 1)}…` : line
}

const LONGEST_REASON = 160
