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
  readonly act: Act
  readonly before: Task
  readonly at: number
}

const lastDone = signal<Done | undefined>(undefined)

/** Asks what the act needs to know, then does it. */
export async function perform(act: Act, task: Task): Promise<void> {
  if (me.value?.read_only === true) return say('bad', en.refused.readOnly)
  const question = act.question?.(task)
  const answer =
    question === undefined
      ? ''
      : await ask({
          question,
          title: act.label,
          command: (text) => act.command(task, text),
          isDanger: act.isDanger === true,
        })
  if (answer === undefined) return
  await attempt(act, task, answer)
}

/** Shows the outcome at once; the row from the stream replaces it, and a refusal puts the old one back. */
async function attempt(act: Act, task: Task, answer: string): Promise<void> {
  const before = taskCell(task.number)?.peek() ?? task
  const guess = act.guess?.(before, answer)
  if (guess !== undefined) putTask({ ...before, ...guess, isGuess: true })
  try {
    await act.run(before, answer, crypto.randomUUID())
    lastDone.value = { act, before, at: Date.now() }
    say('ok', act.command(before, answer), undoActions(act, before))
  } catch (error) {
    if (taskCell(task.number)?.peek().isGuess === true) putTask(before)
    refuse(error, act, before)
  }
}

function undoActions(act: Act, before: Task) {
  return act.undo === undefined
    ? []
    : [{ label: en.acts.undo, run: () => void undo({ act, before }) }]
}

/** Takes the last act back, if that is still possible. */
export async function undoLast(): Promise<void> {
  const done = lastDone.peek()
  if (done?.act.undo === undefined || Date.now() - done.at > UNDO_MS)
    return say('info', en.acts.nothingToUndo)
  await undo(done)
}

async function undo({ act, before }: Pick<Done, 'act' | 'before'>): Promise<void> {
  try {
    await act.undo?.(before)
    lastDone.value = undefined
    say('ok', en.acts.undone)
  } catch (error) {
    refuse(error, act, before)
  }
}

/** A refusal is a sentence about what stands in the way, with what can be done about it. */
function refuse(error: unknown, act: Act, task: Task): void {
  const code = error instanceof CallError ? error.code : 'internal'
  const present = taskCell(task.number)?.peek() ?? task
  if (code === 'offline') return say('bad', en.refused.offline)
  if (code === 'forbidden' && me.peek()?.read_only === true) return say('bad', en.refused.readOnly)
  if (present.holder !== undefined && (code === 'conflict' || code === 'lease_lost')) {
    const left = formatDuration(present.holder.until - now.peek())
    return say(
      'bad',
      en.refused.held(task.number, present.holder.name, left),
      takeBackActions(present),
    )
  }
  const reason = error instanceof Error ? error.message : String(error)
  say('bad', en.refused.plain(act.label, reason))
}

function takeBackActions(task: Task) {
  const takeBack = TASK_ACTS.find(({ id }) => id === 'take-back')
  if (takeBack?.applies(task) !== true) return []
  return [{ label: takeBack.label, run: () => void perform(takeBack, task) }]
}
