import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../error.ts'
import { findWorkTree, type WorkTree } from '../files/work-tree.ts'
import { once } from '../once.ts'
import { SettingsReader } from './annotation-settings.ts'
import { CodeTexts } from './code-texts.ts'
import { CommitReader } from './commits.ts'
import { DiskCache } from './disk-cache.ts'
import { findGitDirs, type GitDirs } from '../files/git-dirs.ts'
import { guessHead } from './guess-head.ts'
import { FileHistories } from './history/file-histories.ts'
import { ReachableCommits } from './history/reachable-commits.ts'
import { TreePaths } from './history/tree-paths.ts'
import { ObjectReader } from './object-reader.ts'
import { Outlines } from './outline/outlines.ts'
import {
  findPlantedHook,
  findPlantedProgram,
  isPartialClone,
  LIST_SETTINGS,
  movesRefs,
  type RepositoryPlace,
  untrustedSetting,
} from './planted-programs.ts'
import {
  askGit,
  askGitNow,
  type GitOptions,
  type GitResult,
  pipeGit,
  type Reach,
  runGit,
} from './run.ts'

type CallOptions = Omit<GitOptions, 'cwd' | keyof Reach>

export interface RepositoryLayout {
  /** The folder of this working tree's own Git state: HEAD, index. */
  readonly gitDir: string
  /** The folder that all working trees share. */
  readonly commonDir: string
  /** Older history is not here: what seems to be the first commit may not be. */
  readonly isShallow: boolean
}

/** Git, started once for each question. */
export interface GitCalls {
  /** Runs git here; a non-zero exit is an answer. */
  run(args: readonly string[], options?: CallOptions): Promise<GitResult>
  /** Runs git here and gives what it printed; a non-zero exit is a Failure. */
  ask(args: readonly string[], options?: CallOptions): Promise<string>
  /** Gives what one git prints about all that another one prints, however much that is. */
  pipe(from: readonly string[], to: readonly string[], input?: string): Promise<string>
  /** Runs git where it talks to a remote; refused while the repository's own settings name a program for that. */
  reach(args: readonly string[]): Promise<GitResult>
  layout(): RepositoryLayout
}

/** One Git repository and the processes that read it. Nothing is started before something is asked. */
export interface Repository extends GitCalls, AsyncDisposable {
  /** The working tree's top folder; in a bare repository the repository itself. */
  readonly root: string
  /** A folder of our own that all worktrees share: locks and caches. */
  readonly stateDir: string
  readonly objects: ObjectReader
  readonly commits: CommitReader
  readonly histories: FileHistories
  readonly outlines: Outlines
  readonly texts: CodeTexts
  readonly reachable: ReachableCommits
  readonly settings: SettingsReader
  readonly trees: TreePaths
  /** The files that are there to be read. */
  workTree(): Promise<WorkTree>
  /** The commit that is checked out, or undefined before the first one. */
  head(): Promise<string | undefined>
  /** The same without asking git, for work that may be for nothing: it can be wrong, and undefined says nothing. */
  guessHead(): string | undefined
}

export function openRepository(root: string, stateDir: string): Repository {
  const dirs = once(() => findDirs(root))
  const repository = () => ({ root, commonDir: dirs().common })
  const reach = holdReach(() => reachFrom(repository()))
  const assertHookless = holdHookless(repository)
  const place = async (args: readonly string[]) => {
    if (movesRefs(args)) await assertHookless()
    return { cwd: root, ...reach() }
  }
  const calls: GitCalls = {
    run: async (args, options) => runGit(args, { ...options, ...(await place(args)) }),
    ask: async (args, options) => askGit(args, { ...options, ...(await place(args)) }),
    pipe: async (from, to, input = '') => pipeGit(from, to, { ...(await place(from)), input }),
    reach: async (args) => {
      const listed = await askGit(LIST_SETTINGS, { cwd: root })
      const planted = findPlantedProgram(listed, repository())
      if (planted !== undefined) throw untrustedSetting(planted, repository())
      return await runGit(args, { cwd: root, mayReachOut: true })
    },
    layout: () => toLayout(dirs()),
  }
  let tree: WorkTree | undefined
  const objects = new ObjectReader({ cwd: root, reach })
  const cache = new DiskCache(join(stateDir, 'cache'))
  const outlines = new Outlines(cache)
  const texts = new CodeTexts()
  return {
    ...calls,
    root,
    stateDir,
    objects,
    commits: new CommitReader(objects),
    histories: new FileHistories(calls, objects, cache),
    outlines,
    texts,
    reachable: new ReachableCommits(calls, objects),
    settings: new SettingsReader(calls, root),
    trees: new TreePaths(calls),
    workTree: async () => (tree ??= await findWorkTree(root, stateDir)),
    head: async () => (await objects.info('HEAD^{commit}'))?.id,
    guessHead: () => guessHead(dirs()),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([
        objects[Symbol.asyncDispose](),
        cache[Symbol.asyncDispose](),
        outlines[Symbol.asyncDispose](),
        texts[Symbol.asyncDispose](),
      ])
    },
  }
}

/** So long what was found is taken for true, in milliseconds: many questions come close together. */
const HOLDS = 1_000

/** A refusal is never held: whoever does what it says should be heard at once. */
function holdReach(find: () => Reach): () => Reach {
  let held: { readonly reach: Reach; readonly until: number } | undefined
  return () => {
    if (held !== undefined && performance.now() < held.until) return held.reach
    const reach = find()
    const until = performance.now() + HOLDS
    held = reach.refusal === undefined ? { reach, until } : undefined
    return reach
  }
}

/** A partial clone asks its remote for what it lacks, however harmless the question; so here too nobody may be planted. */
function reachFrom(place: RepositoryPlace): Reach {
  if (!isPartialClone(place.commonDir)) return {}
  const listed = askGitNow(LIST_SETTINGS, place.root)
  if (listed === undefined) return {}
  const planted = findPlantedProgram(listed, place)
  return planted === undefined
    ? { mayReachOut: true }
    : { refusal: untrustedSetting(planted, place) }
}

/** Moving a ref runs hooks, and those that are named in settings cannot be switched off as the files can. */
function holdHookless(place: () => RepositoryPlace): () => Promise<void> {
  let until = 0
  return async () => {
    if (performance.now() < until) return
    const planted = findPlantedHook(await askGit(LIST_SETTINGS, { cwd: place().root }), place())
    if (planted !== undefined) throw untrustedSetting(planted, place())
    until = performance.now() + HOLDS
  }
}

function findDirs(root: string): GitDirs {
  const found = findGitDirs(root)
  if (found !== undefined) return found
  throw new Failure('storage_unavailable', 'git: not a git repository any more', {
    details: { reason: 'git' },
  })
}

function toLayout({ own, common }: GitDirs): RepositoryLayout {
  const shallow = statSync(join(common, 'shallow'), { throwIfNoEntry: false })
  return { gitDir: own, commonDir: common, isShallow: (shallow?.size ?? 0) > 0 }
}
