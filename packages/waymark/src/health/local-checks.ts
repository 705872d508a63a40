import { findGitDirs } from '../support/files/worktree/git-dirs.ts'
import { hasRemote } from '../core/project/locate-project.ts'
import { placeOutside } from '../git/config/git-place.ts'
import { runGit } from '../git/run.ts'
import { removedHooks, sendsToAnyRemote } from '../hook/kinds.ts'
import { findDamage, repairIndexes, sqliteVersion } from '../core/sqlite/inspect.ts'
import { openStore } from '../core/store/open.ts'
import { findWorktreeStores, hasFolder } from '../core/project/worktree-stores.ts'
import type { FoundProject } from '../core/project/found-project.ts'
import { type Check, check } from './check.ts'
import { checkGitSettings } from './git-settings-check.ts'
import { checkModel } from './model-check.ts'

/** Checks the requirements of this machine and the integrity of the project. */
export async function checkLocally(
  directory: string,
  project: FoundProject | undefined,
  { repair = false }: { readonly repair?: boolean } = {},
): Promise<readonly Check[]> {
  return [
    checkNode(process.versions.node),
    await check('sqlite', async () => ({ status: 'ok', message: sqliteVersion() })),
    await check('git', () => lookForGit(directory)),
    ...(project === undefined
      ? [checkClone(directory)]
      : [
          await check('project', () => inspect(project, repair)),
          ...checkWorktrees(project),
          ...(await checkSyncHooks(project)),
          ...(await checkCodeHooks(project)),
          ...(await checkGitSettings(project)),
          ...(await checkModel(project)),
        ]),
  ]
}

/** Says something only when there is something to say. */
async function checkSyncHooks({ root }: FoundProject): Promise<readonly Check[]> {
  // Hooks that cannot be looked at are no hooks of ours.
  if (!(await sendsToAnyRemote(root).catch(() => false))) return []
  return [
    {
      name: 'sync hooks',
      status: 'warning',
      message:
        'the pre-push hook of an older version sends knowledge to every remote that is pushed to',
      fix: 'waymark sync hook',
    },
  ]
}

/** Says something only when there is something to say. */
async function checkCodeHooks({ root }: FoundProject): Promise<readonly Check[]> {
  const removed = await removedHooks(root).catch(() => [])
  if (removed.length === 0) return []
  const message = `another tool has removed annotation hooks: ${removed.join(', ')}`
  return [{ name: 'code hooks', status: 'warning', message, fix: 'waymark code hooks-install' }]
}

/** Says something only when there is something to say. */
function checkWorktrees({ root }: FoundProject): readonly Check[] {
  const dirs = findGitDirs(root)
  const stores = dirs === undefined ? [] : findWorktreeStores(dirs.common)
  return stores
    .filter((store) => !hasFolder(store))
    .map(({ name }) => ({
      name: 'worktrees',
      status: 'warning',
      message: `worktree ${name} is not where Git last saw it; its own store is kept`,
      fix: `run \`git worktree repair <folder>\` if it was moved; if it was deleted, the guide on sync says how to get at its store or remove it`,
    }))
}

const OLDEST_NODE = [20, 19] as const

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isEnough = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])
  if (isEnough) return { name: 'node', status: 'ok', message: version }
  return {
    name: 'node',
    status: 'failed',
    message: `${version} is too old`,
    fix: `install Node ${OLDEST_NODE.join('.')} or newer`,
  }
}

async function lookForGit(cwd: string): Promise<Omit<Check, 'name'>> {
  try {
    const { exitCode, stdout } = await runGit(['--version'], placeOutside(cwd))
    if (exitCode === 0) return checkGit(stdout.trim().replace('git version ', ''))
  } catch {
    // Git cannot be started; the reason does not change the remedy.
  }
  return {
    status: 'failed',
    message: 'cannot be started',
    fix: 'install Git and make sure that PATH leads to it',
  }
}

/** The first to take settings from the environment, in which we pass the addresses of remotes. */
const OLDEST_GIT = [2, 31] as const

export function checkGit(version: string): Omit<Check, 'name'> {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10))
  const isEnough = major > OLDEST_GIT[0] || (major === OLDEST_GIT[0] && minor >= OLDEST_GIT[1])
  if (isEnough) return { status: 'ok', message: version }
  return {
    status: 'failed',
    message: `${version} is too old for waymark sync`,
    fix: `install Git ${OLDEST_GIT.join('.')} or newer`,
  }
}

/** Contacts no remote: a planted configuration may name any address. */
function checkClone(directory: string): Check {
  if (!hasRemote(directory)) return NO_PROJECT
  return { ...NO_PROJECT, fix: `${NO_PROJECT.fix}, which also looks for knowledge on the remote` }
}

const NO_PROJECT: Check = {
  name: 'project',
  status: 'warning',
  message: 'not a Waymark project',
  fix: 'waymark init',
}

async function inspect(
  { root, stateDir }: FoundProject,
  repair: boolean,
): Promise<Omit<Check, 'name'>> {
  const store = await openStore(stateDir)
  await store.close()
  const damage = await findDamage(stateDir)
  if (damage.length === 0) return { status: 'ok', message: `${root}, database sound` }
  const message = `the database is damaged: ${damage.join('; ')}`
  if (repair && (await repairIndexes(stateDir))) {
    return { status: 'warning', message: `${message}; repaired` }
  }
  return {
    status: 'failed',
    message,
    fix: repair
      ? 'restore the database from a backup; until then, do not write to it'
      : 'waymark doctor --repair, which makes indexes again; otherwise restore a backup and do not write until then',
  }
}
