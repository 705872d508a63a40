import type { Context } from '../../core/context.ts'
import { Failure } from '../../core/error.ts'
import type { Repository } from '../../git/repository.ts'
import type { PushState } from '../merge/push-state-store.ts'
import { LOG_REF } from '../log/log-ref.ts'
import type { LogSync } from '../log-exchange.ts'
import { pushRefs, refsOf, type Remote } from './remote.ts'

/** Pushes what the remote lacks. False if another push came first: fetch, merge and retry. */
export async function pushAll(
  { context, repository, progress }: LogSync,
  remote: Remote,
): Promise<boolean> {
  progress.phase('pushing')
  const changed: string[] = []
  for (const { ref, tracking } of refsOf(remote)) {
    const [ours, theirs] = await repository.objects.infos([ref, tracking])
    if (ours !== undefined && ours.id !== theirs?.id) changed.push(ref)
  }
  try {
    if (changed.length > 0 && !(await pushRefs(repository, remote, changed))) return false
  } catch (error) {
    // Hooks discard the answer of a sync, so the status repeats the refusal.
    if (error instanceof Failure) await note(context, { refusal: error.message })
    throw error
  }
  const hasLog = (await repository.objects.info(LOG_REF)) !== undefined
  await note(context, { unpushed: 0, refusal: null, ...(hasLog && { isShared: true }) })
  return true
}

/** Adds to what is in the log of this clone and at no remote. */
export async function noteUnpushed(context: Context, entities: number): Promise<void> {
  if (entities === 0) return
  const { unpushed } = await context.store.replica.pushState.get()
  await note(context, { unpushed: unpushed + entities })
}

type Changes = Partial<PushState>

async function note({ store }: Context, changes: Changes): Promise<void> {
  const known = await store.replica.pushState.get()
  if (Object.entries(changes).every(([name, value]) => known[name as keyof Changes] === value))
    return
  await store.write(({ replica }) => replica.pushState.set(changes))
}

/** The tips of the remote's refs at the last fetch. */
export async function tipsOf({ objects }: Repository, remote: Remote): Promise<string> {
  const refs = refsOf(remote).map(({ tracking }) => tracking)
  return (await objects.infos(refs)).map((info) => info?.id ?? '-').join(' ')
}

/** Distinguishes pushes that lost a race from pushes that the remote rejects although its refs did not move. */
export class RejectedPushes {
  #last: string | undefined
  #hasMoved = false
  /** Consecutive rejections without a change of the remote's refs. */
  fruitless = 0

  /** `tips`: what the remote had when the push was tried. */
  add(tips: string): void {
    const isSame = tips === this.#last
    this.#hasMoved ||= this.#last !== undefined && !isSame
    this.fruitless = isSame ? this.fruitless + 1 : 0
    this.#last = tips
  }

  toFailure(remote: Remote | undefined): Failure {
    if (remote === undefined || this.#last === undefined) {
      return new Failure('busy', `other processes here keep moving ${LOG_REF}; try again`)
    }
    const { name, remoteLogRef } = remote
    const message = this.#hasMoved
      ? `push to ${name} rejected because the remote kept moving; remote changes are merged, run \`waymark sync\` again`
      : `${name} does not let its refs be moved, though nothing new comes from it; if no push is under way there, ` +
        `remove ${remoteLogRef}.lock and the locks beside its notes refs in that repository`
    return new Failure('busy', message, { details: { reason: 'push_rejected', remote: name } })
  }
}
