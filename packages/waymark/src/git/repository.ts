import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../core/error.ts'
import { findWorkTree, type WorkTree } from '../support/files/worktree/work-tree.ts'
import { Background } from '../support/background.ts'
import { once } from '../support/once.ts'
import { SettingsReader } from './annotation-settings.ts'
import { CodeTexts } from '../annotation/outline/code-texts.ts'
import { CommitReader, commitNamed } from './history/commits.ts'
import { findPlace, findRemotes } from './config/find-place.ts'
import { placeOf, trustedPlaceOf } from './config/git-place.ts'
import { listSettings } from './config/list-settings.ts'
import type { Setting } from './config/parse-config.ts'
import { type RepositoryConfig, watchConfig } from './config/repository-config.ts'
import { parseUserSettings } from './config/user-settings.ts'
import { DiskCache } from './disk-cache.ts'
import { findGitDirs, type GitDirs } from '../support/files/worktree/git-dirs.ts'
import { peekHead } from './peek-head.ts'
import { FileVersions } from './history/file-versions.ts'
import { FileHistories } from './history/file-histories.ts'
import { ReachableCommits } from './history/reachable-commits.ts'
import { TreePaths } from './history/tree-paths.ts'
import { ObjectReader } from './object-reader.ts'
import { Traces } from '../annotation/trace/traces.ts'
import { Outlines } from '../annotation/outline/outlines.ts'
import type { RemoteCall, Remotes } from './remote/remotes.ts'
import { askGit, type GitOptions, type GitPlace, type GitResult, pipeGit, runGit } from './run.ts'
import type { CommitId } from './history/commit-id.ts'

type CallOptions = Omit<GitOptions, keyof GitPlace>

export interface RepositoryLayout {
  /** The folder of this working tree's own Git state: HEAD, index. */
  readonly gitDir: string
  /** The folder that all working trees share. */
  readonly commonDir: string
  /** Older history is not here: what seems to be the first commit may not be. */
  readonly isShallow: boolean
}

/** One git process per call. */
export interface GitCalls {
  /** Runs git here; a non-zero exit does not throw. */
  run(args: readonly string[], options?: CallOptions): Promise<GitResult>
  /** Runs git here and returns its output; a non-zero exit is a Failure. */
  ask(args: readonly string[], options?: CallOptions): Promise<string>
  /** Pipes the output of one git into another and returns what that prints. */
  pipe(from: readonly string[], to: readonly string[], input?: string): Promise<string>
  /** The repository's own configuration, of which only allowed settings are in force. */
  config(): RepositoryConfig
  /** The settings of the user, the machine and the environment; none where git cannot read them. */
  userSettings(): Promise<readonly Setting[]>
  layout(): RepositoryLayout
}

/** Git, started to talk to a remote. */
export interface RemoteCalls {
  remotes(): Promise<Remotes>
  /** Runs git with access to a remote, which it knows by the name in `RemoteAccess`. */
  reach(args: readonly string[], call: RemoteCall, options?: CallOptions): Promise<GitResult>
}

/** One Git repository and the processes that read it, started on first use. */
export interface Repository extends GitCalls, RemoteCalls, AsyncDisposable {
  /** The working tree's top folder; in a bare repository the repository itself. */
  readonly root: string
  /** Waymark's state folder, shared by all worktrees: locks and caches. */
  readonly stateDir: string
  readonly objects: ObjectReader
  readonly commits: CommitReader
  readonly histories: FileHistories
  readonly versions: FileVersions
  readonly outlines: Outlines
  readonly texts: CodeTexts
  readonly traces: Traces
  readonly reachable: ReachableCommits
  readonly settings: SettingsReader
  readonly trees: TreePaths
  /** Whether the process goes on after an answer, so that work can be left to the background. */
  readonly staysOpen: boolean
  /** Work that fills caches after an answer. */
  readonly background: Background
  /** The files that are there to be read. */
  workTree(): Promise<WorkTree>
  /** The commit that is checked out, or undefined before the first one. */
  head(): Promise<CommitId | undefined>
  /** The same without starting git, for prefetching: it can be wrong, and undefined means unknown. */
  peekHead(): CommitId | undefined
}

export function openRepository(
  root: string,
  stateDir: string,
  options: { readonly isReadOnly?: boolean; readonly staysOpen?: boolean } = {},
): Repository {
  const dirs = once(() => findDirs(root))
  const config = watchConfig(dirs)
  const place = holdPlace(config, ({ settings }) => findPlace({ root, dirs: dirs(), settings }))
  const calls: GitCalls = {
    run: async (args, options) => await runGit(args, { ...options, ...place() }),
    ask: async (args, options) => await askGit(args, { ...options, ...place() }),
    pipe: async (from, to, input = '') => await pipeGit(from, to, { ...place(), input }),
    config,
    userSettings: async () => {
      const own = placeOf({ root, dirs: dirs(), ...config() })
      return parseUserSettings((await listSettings(own)).stdout)
    },
    layout: () => toLayout(dirs()),
  }
  const remoteCalls: RemoteCalls = {
    remotes: async () => await findRemotes({ root, dirs: dirs(), ...config() }),
    reach: async (args, { isTrusted, settings }, options) => {
      const own = isTrusted ? trustedPlaceOf(root) : place()
      return await runGit(args, {
        ...options,
        ...own,
        settings: [...own.settings, ...settings],
        mayReachOut: true,
      })
    },
  }
  let tree: WorkTree | undefined
  const objects = new ObjectReader(place)
  const cache = new DiskCache(join(stateDir, 'cache'), options)
  const outlines = new Outlines(cache)
  const texts = new CodeTexts()
  const background = new Background()
  return {
    ...calls,
    ...remoteCalls,
    root,
    stateDir,
    objects,
    commits: new CommitReader(objects),
    histories: new FileHistories(calls, objects, cache),
    versions: new FileVersions(objects),
    outlines,
    texts,
    traces: new Traces(cache),
    reachable: new ReachableCommits(calls, objects),
    settings: new SettingsReader(calls, root),
    trees: new TreePaths(calls),
    staysOpen: options.staysOpen === true,
    background,
    workTree: async () => (tree ??= await findWorkTree(root, stateDir)),
    head: async () => await commitNamed(objects, 'HEAD'),
    peekHead: () => peekHead(dirs()),
    [Symbol.asyncDispose]: async () => {
      await background[Symbol.asyncDispose]()
      await Promise.all([
        objects[Symbol.asyncDispose](),
        cache[Symbol.asyncDispose](),
        outlines[Symbol.asyncDispose](),
        texts[Symbol.asyncDispose](),
      ])
    },
  }
}

/** How long a place is cached. */
const PLACE_TTL_MS = 1_000

/** Errors are not cached, so that the next call works once the cause is fixed. */
function holdPlace(
  config: () => RepositoryConfig,
  find: (config: RepositoryConfig) => GitPlace,
): () => GitPlace {
  let held: { readonly stamp: string; readonly place: GitPlace; readonly until: number } | undefined
  return () => {
    const known = config()
    if (held?.stamp === known.stamp && performance.now() < held.until) return held.place
    const place = find(known)
    const until = performance.now() + PLACE_TTL_MS
    held = place.refusal === undefined ? { stamp: known.stamp, place, until } : undefined
    return place
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
