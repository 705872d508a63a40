import { signal } from '@preact/signals'
import { CallError } from '../data/call.ts'
import { now } from '../data/live/clock.ts'
import { say } from '../data/notices.ts'
import { me } from '../data/session.ts'
import type { Task } from '../data/task/task.ts'
import { putTask, taskCell } from '../data/task/tasks.ts'
import { formatDuration } from '../parts/time.tsx'
import { en } from '../text/en.ts'
import type { Act } from './act.ts'
import { ask } from './ask.ts'
import { TASK_ACTS } from './task-acts.ts'

/** How long an act of one's own can be taken back with one key. */
const UNDO_MS = 30_000

interface Done {
  readonly label: string
  readonly at: number
  readonly undo: () => Promise<unknown>
}

const lastDone = signal<Done | undefined>(undefined)

interface Around {
  /** Shows the outcome at once; what it returns puts back what was. */
  readonly begin?: (answer: string) => () => void
  /** Says a refusal better than its message does; true when it has. */
  readonly refuse?: (error: unknown) => boolean
}

/** Asks what the act needs to know, does it, and says as which command. True when it is done. */
export async function performOn<Of>(
  act: Act<Of>,
  of: Of,
  { begin, refuse }: Around = {},
): Promise<boolean> {
  if (me.value?.read_only === true) return refused(en.refused.readOnly)
  const answer = await askFor(act, [of])
  if (answer === undefined) return false
  const putBack = begin?.(answer)
  try {
    await act.run(of, answer, crypto.randomUUID())
  } catch (error) {
    putBack?.()
    return refuse?.(error) === true ? false : refused(toReason(error, act.label))
  }
  const { undo } = act
  const done =
    undo === undefined ? undefined : { label: act.label, at: Date.now(), undo: () => undo(of) }
  lastDone.value = done
  const actions =
    done === undefined ? [] : [{ label: en.acts.undo, run: () => void takeBack(done) }]
  say('ok', act.command(of, answer), actions)
  return true
}

/** What the act needs to know, asked once for all that it is about; undefined when the dialog was dismissed. */
export async function askFor<Of>(act: Act<Of>, all: readonly Of[]): Promise<string | undefined> {
  const [first] = all
  if (first === undefined) return undefined
  const question = act.question?.(first)
  if (question === undefined) return ''
  return await ask({
    question,
    title: act.label,
    command: (text) => all.map((of) => act.command(of, text)).join('\n  '),
    isDanger: act.isDanger === true,
  })
}

/** Does it to a task. Shows the outcome at once; the row from the stream replaces it, and a refusal puts the old one back. */
export async function perform(act: Act, task: Task): Promise<void> {
  const before = taskCell(task.number)?.peek() ?? task
  await performOn(act, before, {
    begin(answer) {
      const guess = act.guess?.(before, answer)
      if (guess !== undefined) putTask({ ...before, ...guess, isGuess: true })
      return () => {
        if (taskCell(task.number)?.peek().isGuess === true) putTask(before)
      }
    },
    refuse: (error) => isHeld(error, before),
  })
}

/** Takes the last act back, if that is still possible. */
export async function undoLast(): Promise<void> {
  const done = lastDone.peek()
  if (done === undefined || Date.now() - done.at > UNDO_MS)
    return say('info', en.acts.nothingToUndo)
  await takeBack(done)
}

async function takeBack({ undo, label }: Done): Promise<void> {
  try {
    await undo()
    lastDone.value = undefined
    say('ok', en.acts.undone)
  } catch (error) {
    refused(toReason(error, label))
  }
}

/** A refusal is a sentence about what stands in the way, with what can be done about it. */
function isHeld(error: unknown, task: Task): boolean {
  const code = error instanceof CallError ? error.code : 'internal'
  const present = taskCell(task.number)?.peek() ?? task
  if (present.holder === undefined || (code !== 'conflict' && code !== 'lease_lost')) return false
  const left = formatDuration(present.holder.until - now.peek())
  const text = en.refused.held(task.number, present.holder.name, left)
  say('bad', text, takeBackActions(present))
  return true
}

function takeBackActions(task: Task) {
  const takeBack = TASK_ACTS.find(({ id }) => id === 'take-back')
  if (takeBack?.applies(task) !== true) return []
  return [{ label: takeBack.label, run: () => void perform(takeBack, task) }]
}

function toReason(error: unknown, label: string): string {
  const code = error instanceof CallError ? error.code : 'internal'
  if (code === 'offline') return en.refused.offline
  if (code === 'forbidden' && me.peek()?.read_only === true) return en.refused.readOnly
  return en.refused.plain(label, error instanceof Error ? error.message : String(error))
}

function refused(text: string): false {
  say('bad', text)
  return false
}
