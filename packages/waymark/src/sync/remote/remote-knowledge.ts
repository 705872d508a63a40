import { Failure } from '../../core/error.ts'
import { openRepository } from '../../git/repository.ts'
import { findRemote } from './remote.ts'

/** Whether the remote that `waymark sync` would use has knowledge of this project. */
export interface RemoteKnowledge {
  readonly remote: string
  readonly state: 'present' | 'absent' | 'unknown'
}

/** How long a remote may take to say what it has. */
const PATIENCE_MS = 4_000

/** Never asks for a password or whether a host is known: `waymark sync` does, when the user wants to exchange something. */
export const UNATTENDED = { GIT_ASKPASS: '', SSH_ASKPASS: 'false', SSH_ASKPASS_REQUIRE: 'force' }

/**
 * Asks the remote for its refs and fetches nothing. Undefined without a remote to choose, and after the first sync,
 * when there is nothing left to find out.
 */
export async function findRemoteKnowledge(
  { root, state }: { readonly root: string; readonly state: string },
  patienceMs = PATIENCE_MS,
): Promise<RemoteKnowledge | undefined> {
  await using repository = openRepository(root, state)
  let name: string | undefined
  try {
    const remote = findRemote(await repository.remotes(), undefined, {
      notesRefs: [],
      onlyNamed: true,
    })
    if (remote === undefined || (await repository.objects.info(remote.logRef)) !== undefined) return
    name = remote.name
    const signal = AbortSignal.timeout(patienceMs)
    const args = ['ls-remote', '--quiet', '--refs', '--', remote.access.name, remote.remoteLogRef]
    const { exitCode, stdout } = await repository
      .reach(args, remote.access.fetch(), { signal, extraVariables: UNATTENDED })
      .catch((error: unknown) => {
        if (signal.aborted) return { exitCode: 1, stdout: '' }
        throw error
      })
    if (exitCode !== 0) return { remote: name, state: 'unknown' }
    return { remote: name, state: stdout.includes(remote.remoteLogRef) ? 'present' : 'absent' }
  } catch (error) {
    // Neither an address that is refused nor a repository that Git cannot read keeps a project from being made.
    if (!(error instanceof Failure)) throw error
    return name === undefined ? undefined : { remote: name, state: 'unknown' }
  }
}
